import { isoDay, parseDay, yesterday } from './days.ts'
import { h } from './dom.ts'
import { say } from './messages.ts'

/** Makes the controls to choose a day: a date field, and buttons for the previous and next day. */
export function dayTools(label: string, day: number, go: (day: number) => void): HTMLElement {
  const step = (name: string, sign: string, to: number): HTMLElement =>
    h(
      'button',
      { type: 'button', class: 'step', 'aria-label': name, title: name, onclick: () => go(to) },
      h('span', { 'aria-hidden': 'true' }, sign),
    )
  return h(
    'div',
    { class: 'day-tools' },
    step(say('day-before'), '‹', day - 1),
    dayField('day', label, day, go),
    step(say('day-after'), '›', day + 1),
  )
}

/**
 * Makes a date field with its label. A date that is typed counts when the field is left or with Enter: until then the
 * browser takes each of its digits for a date of its own.
 */
export function dayField(id: string, label: string, day: number, go: (day: number) => void): HTMLElement {
  let isTyping = false
  const take = (): void => {
    isTyping = false
    const chosen = parseDay(field.value.replaceAll('-', ''))
    if (chosen !== null && chosen !== day) go(chosen)
  }
  const field = h('input', {
    type: 'date',
    id,
    value: isoDay(day),
    // Some coolers are half a day ahead of UTC: their current day must be selectable, too.
    max: isoDay(yesterday(Date.now()) + 2),
    onkeydown: (event) => {
      const isEnter = (event as KeyboardEvent).key === 'Enter'
      if (isEnter) take()
      else isTyping = true
    },
    onpointerdown: () => {
      isTyping = false
    },
    onchange: () => {
      if (!isTyping) take()
    },
    onblur: take,
  })
  return h('span', { class: 'day-field' }, h('label', { for: id }, label), field)
}
