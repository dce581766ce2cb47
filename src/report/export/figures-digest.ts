import { createHash } from 'node:crypto'
import { FIGURE_NAMES } from '../../rollup/figures/figures.ts'
import type { ExportEntry, ReportName } from './report-writer.ts'

/**
 * A SHA-256 of the devices and figures of a report, the same in every format. It changes with any of them, and with
 * nothing else: not with the time at which the report is made, nor with the current fields of a summary.
 */
export class FiguresDigest {
  readonly #hash = createHash('sha256')

  constructor(name: ReportName, { fromDay, toDay }: { fromDay: number; toDay: number }) {
    this.#hash.update(`${JSON.stringify([name, fromDay, toDay, ...FIGURE_NAMES])}\n`)
  }

  add(entries: readonly ExportEntry[]): void {
    const lines = entries.map((entry) => JSON.stringify([entry.assertId, ...FIGURE_NAMES.map((name) => entry[name])]))
    this.#hash.update(lines.map((line) => `${line}\n`).join(''))
  }

  /** Returns it in hexadecimal digits, after the last entry. */
  end(): string {
    return this.#hash.digest('hex')
  }
}
