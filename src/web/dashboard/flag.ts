import { h, shownAs } from './dom.ts'
import { say } from './messages.ts'

/** The sign of a cooler that is too far off: its form and words tell it, not its colour alone. */
export const flag = (): HTMLElement =>
  h('span', { class: 'flag' }, shownAs(`▲ ${say('flag-yes')}`, say('flag-yes-spoken')))
