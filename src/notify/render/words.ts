import { type MessageParts, messageText } from '../../base/message-text.ts'
import { millisecondsInDay, parseDay } from '../../base/time.ts'
import type { Language } from '../subscription.ts'
import { ENGLISH, type MessageName } from './messages-en.ts'
import { CHINESE } from './messages-zh.ts'

/** Formats texts, numbers and days in one language. */
export class Words {
  /** Tag of the language, for the attribute `lang`. */
  readonly tag: string
  readonly #texts: Readonly<Record<MessageName, string>>
  readonly #number: Intl.NumberFormat
  readonly #day: Intl.DateTimeFormat

  constructor(tag: string, texts: Readonly<Record<MessageName, string>>) {
    this.tag = tag
    this.#texts = texts
    this.#number = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 })
    this.#day = new Intl.DateTimeFormat(tag, { timeZone: 'UTC', year: 'numeric', month: 'long', day: 'numeric' })
  }

  /** Returns a text with its parts filled in: texts as they are, numbers in the format of the language. */
  say(name: MessageName, parts: MessageParts = {}): string {
    return messageText(this.#texts[name], parts, (value) => this.number(value))
  }

  /** Formats a number, with at most two decimals. */
  number(value: number): string {
    return this.#number.format(value)
  }

  /** Formats a day YYYYMMDD. */
  day(day: number): string {
    const epochDay = parseDay(day)
    return epochDay === null ? String(day) : this.#day.format(epochDay * millisecondsInDay)
  }
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: new Words('en-GB', ENGLISH),
  zh: new Words('zh-CN', CHINESE),
}

/** Returns the words of a language. */
export const wordsOf = (language: Language): Words => WORDS[language]
