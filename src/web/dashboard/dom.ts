/** Content of an element: text, other nodes, nothing, or several of these. */
export type Child = Node | string | number | null | undefined | readonly Child[]

/** Attributes by name; functions (`onclick`) are listeners. True is an empty attribute, false and null are none. */
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>

/** Makes an HTML element. Text stays text, so nothing that a device sent can become markup. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value))
  }
  append(element, children)
  return element
}

/** Makes a button. `label` is read aloud in place of its content. */
export const button = (
  content: Child,
  onclick: () => void,
  { kind, label }: { kind?: string; label?: string } = {},
): HTMLButtonElement => h('button', { type: 'button', class: kind, 'aria-label': label, onclick }, content)

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue
    if (Array.isArray(child)) append(element, child)
    else element.append(child instanceof Node ? child : String(child))
  }
}

/** Replaces the content of an element. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren()
  append(element, children)
}

/** Makes a text for screen readers only. */
export const spoken = (text: string): HTMLElement => h('span', { class: 'spoken' }, text)

/** Makes a text with `shown` on the screen and `said` for screen readers. */
export const shownAs = (shown: string, said: string): HTMLElement =>
  h('span', {}, h('span', { 'aria-hidden': 'true' }, shown), spoken(said))
