import type { ErrorCode } from '../../base/errors.ts'
import { type MessageParts, messageText } from '../../base/message-text.ts'
import { CHINESE_ERRORS } from './errors-zh.ts'
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

/** Uses a language for all text written from now on. If it is `kept`, the page is opened in it the next time. */
export function useLanguage(chosen: Language, { kept }: { kept: boolean }): void {
  if (kept) localStorage.setItem(CHOICE, chosen)
  current = chosen
}

/** Returns a message in the language in use, with its parts filled in and numbers in the viewer's format. */
export function say(name: MessageName, parts: MessageParts = {}): string {
  return messageText(MESSAGES[current][name], parts, number)
}

/**
 * Returns what the service says with an error: in English its own message, which tells the case, and otherwise what its
 * code means.
 */
export function errorText(code: string, message: string): string {
  return current !== 'en' && Object.hasOwn(CHINESE_ERRORS, code) ? CHINESE_ERRORS[code as ErrorCode] : message
}
