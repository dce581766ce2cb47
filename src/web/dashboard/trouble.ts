import { forgetKey, hasKey, keepKey, Refusal } from './api.ts'
import { button, h } from './dom.ts'
import { errorText, say } from './messages.ts'
import type { Stage } from './view.ts'

/** What a key must be allowed to do for a part of a view. */
export interface Needed {
  scope: 'read' | 'admin'
  /** The part shows all devices, so keys limited to some devices are refused. */
  ofAll: boolean
}

/** What a key needs to see some coolers, all of them, and what was rejected. */
export const READ: Needed = { scope: 'read', ofAll: false }
export const READ_ALL: Needed = { scope: 'read', ofAll: true }
export const ADMIN: Needed = { scope: 'admin', ofAll: true }

/** Makes the text of a part that is loading. */
export const loading = (): HTMLElement => h('p', { class: 'quiet' }, say('loading'))

/** Adds a part to a view, which is busy until `load` has filled it. */
export async function addPart(
  { main, signal }: Stage,
  needed: Needed,
  load: (part: HTMLElement) => Promise<void>,
): Promise<void> {
  const part = h('div', { class: 'stack', 'aria-busy': 'true' }, loading())
  main.append(part)
  await guarded(part, signal, needed, async () => {
    await load(part)
    part.removeAttribute('aria-busy')
  })
}

/**
 * Loads a part of a view. If that fails, the part says why and how to continue, and the rest of the page stays usable.
 */
export async function guarded(
  part: HTMLElement,
  signal: AbortSignal,
  needed: Needed,
  load: () => Promise<void>,
): Promise<void> {
  try {
    await load()
  } catch (error) {
    if (signal.aborted) return
    part.removeAttribute('aria-busy')
    part.replaceChildren(troubleOf(error, needed, () => guarded(part, signal, needed, load)))
  }
}

/** Event for a changed key, which changes what every view may show: listeners load again. */
export const KEY_CHANGED = 'cooler-key-changed'

const keyChanged = (): boolean => window.dispatchEvent(new Event(KEY_CHANGED))

function troubleOf(error: unknown, needed: Needed, again: () => Promise<void>): HTMLElement {
  if (error instanceof Refusal && error.status === 401) return keyForm()
  if (error instanceof Refusal && error.status === 403) {
    const text = say(needed.ofAll ? 'forbidden-text' : 'forbidden-device', { scope: needed.scope })
    return trouble(say('forbidden-title'), [text, saidOf(error)], forgetButton())
  }
  // TypeError: the service is unreachable. All else is a bug.
  if (!(error instanceof Refusal || error instanceof TypeError)) console.error(error)
  return trouble(
    say('failed-title'),
    [saidOf(error)],
    button(say('retry'), () => void again()),
  )
}

/** Returns the reason why a call failed: the message of the service, or that it does not answer. */
export const saidOf = (error: unknown): string =>
  error instanceof Refusal
    ? say('failed-with', { message: errorText(error.code, error.message) })
    : say('failed-offline')

function trouble(title: string, lines: readonly string[], ...actions: readonly HTMLElement[]): HTMLElement {
  const paragraphs = lines.map((line) => h('p', {}, line))
  return h('div', { class: 'trouble', role: 'alert' }, h('h2', {}, title), paragraphs, h('p', {}, actions))
}

function forgetButton(): HTMLElement {
  const forget = (): void => {
    forgetKey()
    keyChanged()
  }
  return button(say('key-forget'), forget)
}

/** Makes the form that asks for a key. If a key was sent already, it was wrong. */
function keyForm(): HTMLElement {
  const input = h('input', {
    type: 'password',
    id: 'api-key',
    autocomplete: 'off',
    required: true,
    spellcheck: 'false',
  })
  const use = (event: Event): void => {
    event.preventDefault()
    keepKey(input.value.trim())
    keyChanged()
  }
  return h(
    'form',
    { class: 'trouble', onsubmit: use },
    h('h2', {}, say('key-title')),
    hasKey() ? h('p', { class: 'wrong', role: 'alert' }, say('key-wrong')) : null,
    h('p', {}, say('key-text')),
    h('label', { for: 'api-key' }, say('key-label')),
    h('div', { class: 'row' }, input, h('button', { type: 'submit', class: 'primary' }, say('key-use'))),
  )
}
