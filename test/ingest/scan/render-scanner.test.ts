import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderFields, renderTables } from '../../../src/ingest/scan/render-scanner.ts'

test.each([
  ['fields.ts', renderFields],
  ['event-tables.ts', renderTables],
])("the scanner's %s is the one that the code renders from the statement of the fields", (name, render) => {
  const file = new URL(`../../../src/ingest/scanner/${name}`, import.meta.url)
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(file, render())
  const how = 'UPDATE_SNAPSHOTS=1 npm test -- test/ingest/scan/render-scanner.test.ts writes it'
  expect(readFileSync(file, 'utf8'), how).toBe(render())
})
