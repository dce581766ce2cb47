import { dateOf, instantOf } from './days.ts'
import { shownAs } from './dom.ts'
import { FIGURES, type FigureName } from './figures.ts'
import { language, say } from './messages.ts'
import { number } from './number.ts'

/** The units that stand beside a figure; one that is a mere count or a flag has none. */
const SYMBOLS: Readonly<Record<string, string>> = { '°C': '°C', hours: 'h', metres: 'm' }

/** The unit of a figure, also where it is a mere count. */
export const unitOf = (name: FigureName): string => SYMBOLS[FIGURES[name].unit] ?? say('unit-count')

/** What is shown where nothing is known: never 0. */
export const NOTHING = '–'

/** Makes the mark of a figure that is unknown. */
export const nothing = (): HTMLElement => shownAs(NOTHING, say('unknown'))

/** A figure as text; an en dash for what is not known. */
export const figureText = (name: FigureName, value: number | null): string =>
  value === null || Number.isNaN(value) ? NOTHING : number(value, Math.min(FIGURES[name].places, 2))

/** A figure for a cell. */
export function figure(name: FigureName, value: number | null): string | HTMLElement {
  const text = figureText(name, value)
  return text === NOTHING ? nothing() : text
}

/** The viewer's own form of the language in use, since names of months and days stand within its sentences. */
function dateLocale(): string {
  const tongue = language().slice(0, 2)
  return navigator.languages.find((tag) => tag.slice(0, 2).toLowerCase() === tongue) ?? language()
}

const days = (options: Intl.DateTimeFormatOptions) => (day: number) =>
  new Intl.DateTimeFormat(dateLocale(), { ...options, timeZone: 'UTC' }).format(dateOf(day))

/** A day with all that it is called by. */
export const longDay = days({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })
export const mediumDay = days({ year: 'numeric', month: 'short', day: 'numeric' })
export const shortDay = days({ month: 'short', day: 'numeric' })

/** An instant by the viewer's clock, or by that of a zone. */
export const instant = (text: string, timeZone?: string): string =>
  new Intl.DateTimeFormat(dateLocale(), {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(instantOf(text))

/** The time of an instant by the clock of a zone. */
export const clock = (text: string, timeZone: string): string =>
  new Intl.DateTimeFormat(dateLocale(), { timeStyle: 'medium', timeZone }).format(instantOf(text))

/** How long something lasts, in the largest unit of which there is one. */
export function duration(seconds: number): string {
  const units = [
    ['day', 24 * 3600],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? units[3]
  return new Intl.NumberFormat(dateLocale(), {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: unit === 'second' ? 0 : 1,
  }).format(seconds / length)
}

/** Now, by the viewer's clock. */
export const instantNow = (): string => timeFormat().format(Date.now())

const timeFormat = (): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'medium' })
