import { EXCEPTION_NAMES, type ExceptionName } from '../../base/exceptions.ts'
import type { FleetRow } from './answers.ts'
import { h, spoken } from './dom.ts'
import { say } from './messages.ts'

export { EXCEPTION_NAMES, type ExceptionName }

/** Makes the signs of a cooler's exceptions, with the number of days where there are several. */
export function exceptionBadges({ exceptions, exceptionDays }: Pick<FleetRow, 'exceptions' | 'exceptionDays'>): Node {
  if (exceptions.length === 0) return spoken(say('exceptions-none'))
  const badge = (name: ExceptionName): HTMLElement => {
    const days = exceptionDays[name] ?? 1
    const text =
      days > 1 ? say('exception-days', { exception: say(`exception-${name}`), days }) : say(`exception-${name}`)
    return h('span', { class: `badge exception ${name}`, title: say(`exception-text-${name}`) }, text)
  }
  return h('span', { class: 'badges' }, exceptions.map(badge))
}

/** Makes the sign of what is known of a day or range. */
export const statusBadge = ({ status }: Pick<FleetRow, 'status'>): HTMLElement =>
  h('span', { class: `badge ${status}` }, say(`status-${status}`))
