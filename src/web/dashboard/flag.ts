import { h, shownAs } from './dom.ts'
import { say } from './messages.ts'

/** Makes the sign of a cooler that is too far away, shown by shape and words, not by colour alone. */
export const flag = (): HTMLElement =>
  h('span', { class: 'flag' }, shownAs(`▲ ${say('flag-yes')}`, say('flag-yes-spoken')))
