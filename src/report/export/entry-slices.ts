import type { ExportEntry } from './report-writer.ts'

const LIST = '"deviceStatusList":['
const END = ']}}'
/**
 * The text between two entries. It occurs nowhere else: its first quote cannot end a JSON string (a letter follows) nor
 * lie within one (no backslash precedes it), so it begins the name of a field.
 */
const BETWEEN = '},{"assertId":'

/** About this many bytes are parsed at once, so that no slice takes long. */
const SLICE_BYTES = 512 * 1024

/** Reads a report's entries slice by slice, because all of them at once would take several times the text's memory. */
export class EntrySlices {
  readonly deviceCount: number
  readonly #json: Buffer
  readonly #sliceBytes: number
  readonly #end: number
  #from: number

  /** @param json the whole answer of either operation, as report-json.ts and fleet-report.ts write it */
  constructor(json: Uint8Array, sliceBytes = SLICE_BYTES) {
    this.#json = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
    this.#sliceBytes = sliceBytes
    this.#from = this.#json.indexOf(LIST) + LIST.length
    this.#end = this.#json.length - END.length
    const head = /"deviceCount":(\d+),$/.exec(this.#json.toString('latin1', 0, this.#from - LIST.length))
    if (head === null) throw new Error('this is no answer of a report')
    this.deviceCount = Number(head[1])
  }

  /** Returns the next entries, or null if there are no more. */
  next(): ExportEntry[] | null {
    if (this.#from >= this.#end) return null
    const cut = this.#json.indexOf(BETWEEN, this.#from + this.#sliceBytes)
    const to = cut < 0 ? this.#end : cut + 1
    const entries: ExportEntry[] = JSON.parse(`[${this.#json.toString('utf8', this.#from, to)}]`)
    this.#from = to + 1
    return entries
  }
}
