import { expect, test } from 'vitest'
import { SETTINGS } from '../src/config.ts'
import { EVENT_TYPES } from '../src/enqueue/telemetry-event.ts'
import { ERRORS } from '../src/errors.ts'
import { REASONS } from '../src/ingest/reasons.ts'
import { readText, sourceFiles } from './helpers/source-files.ts'

/** What stands in the README, and what the program has: each in the other. */
const readme = readText('README.md')

/** The names in code marks of the first column of the table under a heading, or after a text. */
function tableNames(after: string): string[] {
  const start = readme.indexOf(after)
  if (start < 0) throw new Error(`README.md does not have ${JSON.stringify(after)}`)
  const table = readme
    .slice(readme.indexOf('\n|', start))
    .split(/\n(?!\|)/, 2)
    .join('\n')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => [...row.split(' | ')[0].matchAll(/`([^`]+)`/g)].map(([, name]) => name))
}

const sorted = (names: Iterable<string>): string[] => [...names].sort()

/** What the calls of a function in some folder are given first. */
const callsOf = (folder: string, pattern: RegExp): string[] =>
  sourceFiles(folder).flatMap(({ lines }) => [...lines.join('\n').matchAll(pattern)].map(([, name]) => name))

test('every setting stands in the README, and no other', () => {
  expect(sorted(tableNames('### Settings').filter((name) => /^[A-Z_]+$/.test(name)))).toEqual(
    sorted(SETTINGS.map(({ name }) => name)),
  )
  const named = [...readme.matchAll(/\bCOOLER_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
  expect(SETTINGS.map(({ name }): string => name)).toEqual(expect.arrayContaining(named))
})

test('every error code stands in the README with its status, and no other', () => {
  expect(sorted(tableNames('Errors come in the envelope'))).toEqual(sorted(Object.keys(ERRORS)))
  for (const [code, { status }] of Object.entries(ERRORS)) {
    expect(readme).toMatch(new RegExp(`^\\| .*\`${code}\`.* \\| ${status} \\|`, 'm'))
  }
})

test('every reason of a rejection stands in the README, in the order in which they are told', () => {
  expect(tableNames('with its\nreason').filter((name) => name.includes('-'))).toEqual(
    REASONS.filter((name) => name !== null),
  )
})

test('every type of event stands in the README, and no other', () => {
  expect(tableNames('### Events')).toEqual([...EVENT_TYPES])
})

test('every command stands in the README, and no other', () => {
  const commands = [...callsOf('src/cli', /\.command\('(\w+)'\)/g), ...callsOf('src/cli', /^ {2}service\('(\w+)'/gm)]
  expect(sorted(tableNames('### Commands').map((name) => name.split(' ')[0]))).toEqual(sorted(commands))
})

test('every call stands in the README, and no other', () => {
  const daily = '/open/cooler/open/report_device_status/daily'
  const paths = callsOf('src/web', /\bresource\(app, ['`]([^'`]+)['`]/g).map((path) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source text of a template
    path.replace(':id', '{id}').replace('${DAILY}', daily),
  )
  const documented = tableNames('### Calls').map((name) => name.replace(/^[A-Z]+ /, ''))
  expect(sorted(new Set(documented))).toEqual(sorted([...paths, daily]))
})
