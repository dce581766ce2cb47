import { dateOf, instantOf } from './days.ts'
import { shownAs } from './dom.ts'
import { FIGURES, type FigureName } from './figures.ts'
import { language, say } from './messages.ts'
import { number } from './number.ts'

/** Units written after a figure; counts and flags have none. */
const SYMBOLS: Readonly<Record<string, string>> = { '°C': '°C', hours: 'h', metres: 'm' }

/** Returns the unit of a figure, also for a count. */
export const unitOf = (name: FigureName): string => SYMBOLS[FIGURES[name].unit] ?? say('unit-count')

/** Shown for an unknown value, which is never shown as 0. */
export const NOTHING = '–'

/** Makes the mark of a figure that is unknown. */
export const nothing = (): HTMLElement => shownAs(NOTHING, say('unknown'))

/** Returns a figure as text; an en dash if it is unknown. */
export const figureText = (name: FigureName, value: number | null): string =>
  value === null || Number.isNaN(value) ? NOTHING : number(value, Math.min(FIGURES[name].places, 2))

/** Returns a figure for a table cell. */
export function figure(name: FigureName, value: number | null): string | HTMLElement {
  const text = figureText(name, value)
  return text === NOTHING ? nothing() : text
}

/** Returns the viewer's variant of the language in use, because names of months and days appear in its sentences. */
function dateLocale(): string {
  const tongue = language().slice(0, 2)
  return navigator.languages.find((tag) => tag.slice(0, 2).toLowerCase() === tongue) ?? language()
}

const days = (options: Intl.DateTimeFormatOptions) => (day: number) =>
  new Intl.DateTimeFormat(dateLocale(), { ...options, timeZone: 'UTC' }).format(dateOf(day))

/** Formats a day with its weekday and the full name of its month. */
export const longDay = days({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })
export const mediumDay = days({ year: 'numeric', month: 'short', day: 'numeric' })
export const shortDay = days({ month: 'short', day: 'numeric' })

/** Formats an instant in the viewer's time zone, or in another one. */
export const instant = (text: string, timeZone?: string): string =>
  new Intl.DateTimeFormat(dateLocale(), {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(instantOf(text))

/** Formats the time of an instant in a time zone. */
export const clock = (text: string, timeZone: string): string =>
  new Intl.DateTimeFormat(dateLocale(), { timeStyle: 'medium', timeZone }).format(instantOf(text))

/** Formats a duration in the largest unit that it fills at least once. */
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

/** Formats the current instant in the viewer's time zone. */
export const instantNow = (): string => timeFormat().format(Date.now())

const timeFormat = (): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'medium' })
