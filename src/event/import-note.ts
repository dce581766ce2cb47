import { randomInt } from 'node:crypto'
import { CoolerError } from '../base/errors.ts'
import { formatDay, utcDayOf } from '../base/time.ts'

/** Identifies an import of files. It stays with everything that the import lands, so that the import can be undone. */
export interface ImportNote {
  /** Unique and short enough to type: `imp-20261129-k3m7qa`. */
  id: string
  /** Epoch ms. */
  startedAt: number
  /** The names of the files, for people. */
  files: string
}

/** Letters and digits that are not easily confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const RANDOM_CHARACTERS = 6
/** Printable ASCII, so that an id can be typed. */
const ID = /^[!-~]{1,64}$/
const MAX_FILES_UNITS = 1000

/** Makes the note of an import that starts now (epoch ms). */
export function newImport(files: readonly string[], now: number): ImportNote {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return {
    id: `imp-${formatDay(utcDayOf(now))}-${random}`,
    startedAt: now,
    files: files.join(', ').slice(0, MAX_FILES_UNITS),
  }
}

/** Reads a note from untrusted data, which any program may have written. @throws CoolerError `bad-request` */
export function readImportNote(value: unknown): ImportNote {
  const { id, startedAt, files } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const isId = typeof id === 'string' && ID.test(id)
  const isFiles = typeof files === 'string' && files.length <= MAX_FILES_UNITS
  if (isId && isFiles && Number.isSafeInteger(startedAt)) return { id, startedAt: startedAt as number, files }
  throw new CoolerError(
    'bad-request',
    'import must be {"id","startedAt","files"}: 1 to 64 printable ASCII characters, epoch ms and a text',
  )
}
