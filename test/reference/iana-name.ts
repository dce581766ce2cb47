/** The names of three letters that IANA has. The others that Intl takes, as PST or IST, are legacy of ICU alone. */
const THREE_LETTERS = 'EST MST HST WET CET MET EET GMT UTC UCT PRC ROC ROK'.split(' ')

const SPELLINGS = new Map(
  [...Intl.supportedValuesOf('timeZone'), ...THREE_LETTERS].map((name) => [name.toLowerCase(), name]),
)

/** The name as IANA spells it; one that this list lacks, such as an old name of a zone, as it stands there. */
export const ianaSpelling = (name: string): string => SPELLINGS.get(name.toLowerCase()) ?? name

/** Whether a text names an IANA zone, in whatever letter case (RULES.md section 2, `bad-timezone`). */
export function isIanaName(text: string): boolean {
  if (/^[+-]/.test(text)) return false
  if (/^[A-Za-z]{3}$/.test(text) && !THREE_LETTERS.includes(text.toUpperCase())) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
