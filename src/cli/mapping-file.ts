import { readFileSync } from 'node:fs'
import { type Mapping, readMapping } from '../ingest/mapping/mapping.ts'
import { UsageError } from './context.ts'

/** Reads a mapping from a file. @throws UsageError that names the file and what is wrong with it */
export function mappingFile(path: string): Mapping {
  try {
    return readMapping(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`)
  }
}
