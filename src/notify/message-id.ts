import { randomBytes } from 'node:crypto'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Returns a new id of a message: the time (epoch ms), so that ids are in the order of their making, and 80 random bits. */
export function newMessageId(now: number): string {
  let time = ''
  for (let left = now, nth = 0; nth < 10; nth++, left = Math.floor(left / 32)) time = DIGITS[left % 32] + time
  const random = Array.from(randomBytes(16), (byte) => DIGITS[byte % 32]).join('')
  return `msg_${time}${random}`
}
