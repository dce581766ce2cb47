/** Longest e-mail address. */
export const MOST_MAIL_ADDRESS = 254

/** The form of e-mail addresses: no quoted local parts, and nothing that could begin another header. */
export const MAIL_ADDRESS_PATTERN = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63})+$"

const FORM = new RegExp(MAIL_ADDRESS_PATTERN)

/** Returns whether a text is an e-mail address. */
export const isMailAddress = (text: string): boolean => text.length <= MOST_MAIL_ADDRESS && FORM.test(text)
