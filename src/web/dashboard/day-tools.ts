import { dayText, isoDay, parseDay, yesterday } from './days.ts'
import { h } from './dom.ts'
import { say } from './messages.ts'

/** Makes the controls to choose a day: a date field, and buttons for the previous and next day. */
export function dayTools(label: string, day: number, go: (day: number) => void): HTMLElement {
  const field = h('input', {
    type: 'date',
    id: 'day',
    value: isoDay(day),
    // Some coolers are half a day ahead of UTC: their current day must be selectable, too.
    max: isoDay(yesterday(Date.now()) + 2),
    onchange: () => {
      const chosen = parseDay(field.value.replaceAll('-', ''))
      if (chosen !== null && dayText(chosen) !== dayText(day)) go(chosen)
    },
  })
  const step = (name: string, sign: string, to: number): HTMLElement =>
    h(
      'button',
      { type: 'button', class: 'step', 'aria-label': name, title: name, onclick: () => go(to) },
      h('span', { 'aria-hidden': 'true' }, sign),
    )
  return h(
    'div',
    { class: 'day-tools' },
    h('label', { for: 'day' }, label),
    step(say('day-before'), '‹', day - 1),
    field,
    step(say('day-after'), '›', day + 1),
  )
}
