import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderFields } from '../../../src/ingest/scan/render-scanner.ts'

// The other part, event-tables.ts, is rendered by each build.
test("the scanner's fields.ts is the one that the code renders from the statement of the fields", () => {
  const file = new URL('../../../src/ingest/scanner/fields.ts', import.meta.url)
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(file, renderFields())
  const how = 'UPDATE_SNAPSHOTS=1 npm test -- test/ingest/scan/render-scanner.test.ts writes it'
  expect(readFileSync(file, 'utf8'), how).toBe(renderFields())
})
