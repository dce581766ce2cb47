import { expect, test } from 'vitest'
import { readText } from './helpers/source-files.ts'
import { temporaryService } from './helpers/temporary-service.ts'

const readme = readText('README.md')
const section = readme.slice(readme.indexOf('\n## From the first event'), readme.indexOf('\n## Words'))

/** The `curl` lines of that section, in their order. */
const calls = [
  ...section.matchAll(/^ {4}curl -s http:\/\/127\.0\.0\.1:8080(\S+)(?: -H '([^:]+): ([^']+)')? -d '([^']*)'/gm),
]

/** The JSON answers that it shows, in their order. */
const shown = [...section.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => JSON.parse(text))

test('the first steps of the README work as they are written, and give the answers that it shows', async () => {
  const { url } = await temporaryService({ api: true, work: true })
  const answers: unknown[] = []
  for (const [, path, name = 'content-type', value = 'application/x-www-form-urlencoded', body] of calls) {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: { [name]: value }, body })
    expect(answer.ok, path).toBe(true)
    answers.push(await answer.json())
  }
  const [sent, rolledUp, daily, summary] = answers
  expect(shown).toEqual([sent, daily])
  expect(rolledUp).toMatchObject({ fromDay: 20261120, toDay: 20261120 })
  const hours = Number(/range report above says (\d+) hours on/.exec(readme)?.[1])
  const now = { powerDuration: hours, location: '52.5203,13.4051', throwinDate: '2026-11-20 08:00:00' }
  expect(summary).toMatchObject({ data: { deviceStatusList: [now] } })
})
