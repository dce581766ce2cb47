import { dateOf, instantOf } from './days.ts'
import { h, shownAs } from './dom.ts'
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
export function dateLocale(): string {
  const tongue = language().slice(0, 2)
  return navigator.languages.find((tag) => tag.slice(0, 2).toLowerCase() === tongue) ?? language()
}

const days = (options: Intl.DateTimeFormatOptions) => (day: number) =>
  new Intl.DateTimeFormat(dateLocale(), { ...options, timeZone: 'UTC' }).format(dateOf(day))

/** Formats a day with its weekday and the full name of its month. */
export const longDay = days({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })
export const mediumDay = days({ year: 'numeric', month: 'short', day: 'numeric' })
export const shortDay = days({ month: 'short', day: 'numeric' })

const INSTANT: Intl.DateTimeFormatOptions = {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
}

/** Formats an instant by the clock of a time zone, that of the viewer unless given. The text names the clock. */
export const instant = (text: string, timeZone?: string): string =>
  timeFormat(INSTANT, timeZone).format(instantOf(text))

/** Makes an instant by the clock of a cooler, with the instant itself for programs, and the zone's full name. */
export const instantNode = (text: string, timeZone: string): HTMLElement =>
  h('time', { datetime: text, title: `${instant(text, timeZone)} (${timeZone})` }, instant(text, timeZone))

/** Formats the time of an instant by the clock of a time zone, which is named beside it. */
export const clock = (at: string | number, timeZone: string): string =>
  timeFormat({ timeStyle: 'medium' }, timeZone).format(instantOf(at))

const timeFormats = new Map<string, Intl.DateTimeFormat>()

/** Returns a format, which is kept. A zone that the browser does not know is shown by UTC, which the text names. */
function timeFormat(options: Intl.DateTimeFormatOptions, timeZone = ''): Intl.DateTimeFormat {
  const key = `${dateLocale()} ${timeZone} ${JSON.stringify(options)}`
  let format = timeFormats.get(key)
  if (format === undefined) {
    const make = (zone: string) =>
      new Intl.DateTimeFormat(dateLocale(), { ...options, ...(zone === '' ? {} : { timeZone: zone }) })
    try {
      format = make(timeZone)
    } catch {
      format = make('UTC')
    }
    timeFormats.set(key, format)
  }
  return format
}

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

/** Formats the current instant by the viewer's clock. */
export const instantNow = (): string => timeFormat(INSTANT).format(Date.now())
