import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { PRODUCT } from '../../base/version.ts'
import type { ExportColumn } from './columns.ts'
import { type ExportEntry, isoDay, type Parameter, type ReportHead, type ReportWriter } from './report-writer.ts'

/** The number of rows that are buffered in memory before they are written. */
const ROWS_OF_GROUP = 16_384

/** Writes a report as Parquet: one typed column per report column, compressed with Snappy, which every reader knows. */
export class ParquetReportWriter<Entry = ExportEntry> implements ReportWriter<Entry> {
  readonly #head: ReportHead<Entry>
  readonly #columns: readonly ExportColumn<Entry>[]
  readonly #rowsOfGroup: number
  readonly #bytes = new ByteWriter()
  readonly #parquet: ParquetWriter
  #entries: Entry[] = []

  constructor(head: ReportHead<Entry>, rowsOfGroup = ROWS_OF_GROUP) {
    this.#head = head
    this.#columns = head.columns
    this.#rowsOfGroup = rowsOfGroup
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'report', num_children: this.#columns.length }, ...this.#columns.map(element)],
      kvMetadata: head.parameters.map(({ name, value }) => ({ key: `cooler.${name}`, value: formatParameter(value) })),
      createdBy: PRODUCT.replace(' ', ' version '),
    })
  }

  add(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.push(entry)
    if (this.#entries.length >= this.#rowsOfGroup) this.#writeGroup()
  }

  end(): void {
    this.#writeGroup()
    // It returns a promise only if the bytes go to a file.
    void this.#parquet.finish()
  }

  take(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice()
    this.#bytes.index = 0
    return bytes
  }

  #writeGroup(): void {
    const entries = this.#entries
    if (entries.length === 0) return
    this.#entries = []
    const columnData = this.#columns.map((column): ColumnSource => {
      const values = entries.map((entry) => column.value(entry, this.#head))
      const data = column.kind === 'count' ? values.map((value) => (value === null ? null : BigInt(value))) : values
      return { name: column.name, data }
    })
    void this.#parquet.write({ columnData, rowGroupSize: entries.length })
  }
}

const TYPES: Record<ExportColumn['kind'], Partial<SchemaElement>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  day: { type: 'INT32', converted_type: 'DATE' },
  // Counts of a range may exceed 32 bits.
  count: { type: 'INT64' },
  flag: { type: 'INT32' },
  decimal: { type: 'DOUBLE' },
}

const element = ({ name, kind, required }: Pick<ExportColumn, 'name' | 'kind' | 'required'>): SchemaElement => ({
  name,
  repetition_type: required ? 'REQUIRED' : 'OPTIONAL',
  ...TYPES[kind],
})

function formatParameter(value: Parameter['value']): string {
  if (typeof value !== 'object') return String(value)
  return 'epochDay' in value ? isoDay(value.epochDay) : JSON.stringify(value)
}
