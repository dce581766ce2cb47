import { UsageError } from './context.ts'
import { isEncoding } from './csv-decode.ts'

/** How to read the text of a CSV file. Options that are not given are detected from the file. */
export interface CsvOptions {
  delimiter?: string
  encoding?: string
  /** Lines above the header. */
  skipLines?: number
  /** Names of the columns of a file that has no header. */
  columns?: readonly string[]
}

/** Reads the argument of --delimiter. @throws UsageError */
export function delimiterArgument(text: string): string {
  const delimiter = text === '\\t' ? '\t' : text
  if (delimiter === '' || /["\r\n]/.test(delimiter)) throw new UsageError("--delimiter must be one of , ; | or '\\t'")
  return delimiter
}

/** Reads the argument of --encoding. @throws UsageError */
export function encodingArgument(name: string): string {
  if (isEncoding(name)) return name
  throw new UsageError(`--encoding ${name} is not known: use a name such as utf-8, utf-16le, windows-1252 or gbk`)
}

/** Reads the argument of --columns, names separated by commas. @throws UsageError */
export function columnsArgument(text: string): string[] {
  const columns = text.split(',').map((name) => name.trim())
  if (columns.every((name) => name === '')) throw new UsageError('--columns must name columns, as in time,serial,temp')
  return columns
}
