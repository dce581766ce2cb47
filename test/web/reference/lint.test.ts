import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'

test('the linter has nothing to say against the document by its recommended rules, neither errors nor warnings', async () => {
  const source = readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8')
  const config = await createConfig({ extends: ['recommended'] })
  const lint = (text: string) => lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  const problems = await lint(source)
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([])
  // It does look: without a licence there is a warning, without paths an error.
  const found = await lint('{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":[]}')
  expect(new Set(found.map(({ severity }) => severity))).toEqual(new Set(['warn', 'error']))
})
