import { expect, test } from 'vitest'
import { migrations } from '../../src/store/postgres/schema.ts'
import { sourceFiles } from '../helpers/source-files.ts'

/** Versions of bodies that the codecs write, each with the first schema of PostgreSQL whose programs read it. */
const READ_SINCE: Readonly<Record<string, number>> = {
  'block-codec.ts 2': 1,
  'block-codec.ts 3': 1,
  'compact-codec.ts 1': 1,
  'compact-codec.ts 2': 1,
  'narrow-codec.ts 2': 1,
  'segment-codec.ts 1': 1,
  'state-codec.ts 1': 1,
}

/** In tables that programs before them do not know, and so never read. */
const IN_NEW_TABLES = ['told-codec.ts 1']

test('a new form of bodies is written only when every program that may use the store reads it', () => {
  const written = sourceFiles('src/store/codec').flatMap(({ path, lines }) =>
    lines.flatMap((line) => {
      const [, version] = /\bconst \w*VERSION\w* = (\d+)$/.exec(line) ?? []
      return version === undefined ? [] : [`${path.split('/').at(-1)} ${version}`]
    }),
  )
  // Read it in one version of the program, which adds a migration; write it in the next, with `-- oldest writer`.
  expect(written.sort()).toEqual([...Object.keys(READ_SINCE), ...IN_NEW_TABLES].sort())
  const oldestWriter = migrations().at(-1)?.oldestWriter ?? 0
  expect(Object.values(READ_SINCE).filter((since) => since > oldestWriter)).toEqual([])
})
