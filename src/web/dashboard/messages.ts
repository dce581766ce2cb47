import { CHINESE_ERRORS } from './errors-zh.ts'
import { type MessageParts, messageText } from './message-text.ts'
import { ENGLISH, type MessageName } from './messages-en.ts'
import { CHINESE } from './messages-zh.ts'
import { number } from './number.ts'

export type { MessageName }

/** Languages of the dashboard by tag, each with its own name. */
export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文' } as const
export type Language = keyof typeof LANGUAGES

const MESSAGES: Record<Language, Record<MessageName, string>> = { en: ENGLISH, 'zh-CN': CHINESE }

const CHOICE = 'cooler-language'

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text)

/** Returns the language chosen here, else the first available one of the browser, else English. */
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

/** Changes the language of all text written from now on. */
export function useLanguage(chosen: Language): void {
  current = chosen
}

/** Uses a language from now on, and remembers it for the next time the page is opened. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(CHOICE, chosen)
  useLanguage(chosen)
}

/** Returns a message in the language in use, with its parts filled in and numbers in the viewer's format. */
export function say(name: MessageName, parts: MessageParts = {}): string {
  return messageText(MESSAGES[current][name], parts, number)
}

/**
 * Returns what the service says with an error: in English its own message, which tells the case, and otherwise what its
 * code means. A code of a newer service has no translation.
 */
export function errorText(code: string, message: string): string {
  const said = Object.hasOwn(CHINESE_ERRORS, code) ? CHINESE_ERRORS[code as keyof typeof CHINESE_ERRORS] : message
  return current === 'en' ? message : said
}

/** Returns the message of a composed name, or `otherwise` if there is none, for example for a newer reason. */
export function sayOr(name: string, otherwise: string): string {
  return Object.hasOwn(ENGLISH, name) ? say(name as MessageName) : otherwise
}
