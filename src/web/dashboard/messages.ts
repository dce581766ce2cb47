import { type MessageParts, messageText } from './message-text.ts'
import { ENGLISH, type MessageName } from './messages-en.ts'
import { CHINESE } from './messages-zh.ts'
import { number } from './number.ts'

export type { MessageName }

/** The languages of the dashboard by their tags, and how each calls itself. */
export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文' } as const
export type Language = keyof typeof LANGUAGES

const MESSAGES: Record<Language, Record<MessageName, string>> = { en: ENGLISH, 'zh-CN': CHINESE }

const CHOICE = 'cooler-language'

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text)

/** What was chosen here, else the first of the browser's languages that there is, else English. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(CHOICE)
  if (isLanguage(chosen)) return chosen
  for (const tag of navigator.languages) {
    if (/^zh\b/i.test(tag)) return 'zh-CN'
    if (/^en\b/i.test(tag)) return 'en'
  }
  return 'en'
}

let current: Language = 'en'

/** Returns the language in use. */
export const language = (): Language => current

/** Changes the language of all that is written from now on. */
export function useLanguage(chosen: Language): void {
  current = chosen
}

/** Uses it, from now on and when the page is opened again. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(CHOICE, chosen)
  useLanguage(chosen)
}

/** A message in the language in use, with what is put into it; numbers as the viewer writes them. */
export function say(name: MessageName, parts: MessageParts = {}): string {
  return messageText(MESSAGES[current][name], parts, number)
}

/** A message by a name that is made of parts; what stands there instead where there is none, such as a newer reason. */
export function sayOr(name: string, otherwise: string): string {
  return Object.hasOwn(ENGLISH, name) ? say(name as MessageName) : otherwise
}
