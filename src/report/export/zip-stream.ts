import { constants, deflateRawSync } from 'node:zlib'
import { Zip, ZipPassThrough } from 'fflate'
import { joined } from './report-writer.ts'

/** A sheet is so repetitive that higher levels take much longer and save little. */
const LEVEL = 4
const DEFLATED = 8
/** 1980-01-02, because a zip cannot hold times before 1980 in any zone. The report itself says when it was made. */
const MODIFIED_AT = 315_619_200_000

/** A file in a zip, compressed by Node.js in a fraction of the time that JavaScript would take. */
class DeflatedFile extends ZipPassThrough {
  constructor(name: string) {
    super(name)
    this.compression = DEFLATED
    this.mtime = MODIFIED_AT
  }

  /** Compresses a piece. Each piece ends at a whole byte, so the pieces joined are one compressed stream. */
  protected override process(piece: Uint8Array, isLast: boolean): void {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
    const { buffer, byteOffset, length } = deflateRawSync(piece, { level: LEVEL, finishFlush })
    this.ondata(null, new Uint8Array(buffer as ArrayBuffer, byteOffset, length), isLast)
  }
}

/** Writes a zip of texts from beginning to end: one file after the other, each in pieces. */
export class ZipStream {
  readonly #zip: Zip
  #file: DeflatedFile | null = null
  #pieces: Uint8Array[] = []

  constructor() {
    this.#zip = new Zip((error, piece) => {
      if (error !== null) throw error
      this.#pieces.push(piece)
    })
  }

  /** Begins a file; the one before it must have ended. */
  begin(name: string): void {
    this.#file = new DeflatedFile(name)
    this.#zip.add(this.#file)
  }

  /** Adds a piece to the file that was begun last. */
  write(text: string): void {
    this.#file?.push(Buffer.from(text))
  }

  endFile(): void {
    this.#file?.push(new Uint8Array(0), true)
    this.#file = null
  }

  /** Adds a whole file. */
  file(name: string, text: string): void {
    this.begin(name)
    this.write(text)
    this.endFile()
  }

  end(): void {
    this.#zip.end()
  }

  take(): Uint8Array {
    const bytes = joined(this.#pieces)
    this.#pieces = []
    return bytes
  }
}
