import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHAPTERS, withTables } from '../../../src/web/reference/chapters.ts'
import { DOCUMENT } from './documented.ts'

const fileOf = (name: string): URL => new URL(`../../../schema/reference/${name}.md`, import.meta.url)

test.each(CHAPTERS)('the chapter %s has the tables that the code gives, and is part of the document', (name) => {
  const text = readFileSync(fileOf(name), 'utf8')
  const current = withTables(text)
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(fileOf(name), current)
  expect(current, 'UPDATE_SNAPSHOTS=1 npm test -- test/web/reference writes it').toBe(
    readFileSync(fileOf(name), 'utf8'),
  )
  const [, title, rest] = /^# (.*)\n([\s\S]*)$/.exec(current) ?? []
  expect(DOCUMENT.info.description).toContain(`\n## ${title}\n${rest.replace(/^<!--.*\n/gm, '').trimEnd()}`)
})
