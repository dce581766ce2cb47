import { existsSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERRORS } from '../src/base/errors.ts'
import { METRICS } from '../src/base/metrics.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { EVENT_TYPES } from '../src/event/fields.ts'
import { REASONS } from '../src/event/reasons.ts'
import { readText, sourceFiles } from './helpers/source-files.ts'

/** What stands in the README, and what the program has: each in the other. */
const readme = readText('README.md').replace(/ {2,}/g, ' ')

/** The rows of the table whose first column has this title. */
function rowsOf(title: string): string[] {
  const tables = readme.split(/\n(?!\|)/)
  const table = tables.find((text) => text.trimStart().startsWith(`| ${title} |`))
  if (table === undefined) throw new Error(`README.md has no table whose first column is ${title}`)
  return table.split('\n').filter((line) => line.startsWith('| `'))
}

/** The names in code marks of that column. */
const namesOf = (title: string): string[] =>
  rowsOf(title).flatMap((row) => [...row.split(' | ')[0].matchAll(/`([^`]+)`/g)].map(([, name]) => name))

const sorted = (names: Iterable<string>): string[] => [...names].sort()

/** What the calls of a function in some folder are given first. */
const callsOf = (folder: string, pattern: RegExp): string[] =>
  sourceFiles(folder).flatMap(({ lines }) => [...lines.join('\n').matchAll(pattern)].map(([, name]) => name))

test('every setting stands in the README, and no other', () => {
  expect(sorted(namesOf('name'))).toEqual(sorted(SETTINGS.map(({ name }) => name)))
  const named = [...readme.matchAll(/\bCOOLER_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
  expect(SETTINGS.map(({ name }): string => name)).toEqual(expect.arrayContaining(named))
})

test('every error code stands in the README with its status, and no other', () => {
  expect(sorted(namesOf('code'))).toEqual(sorted(Object.keys(ERRORS)))
  for (const [code, { status }] of Object.entries(ERRORS)) {
    expect(rowsOf('code').find((row) => row.includes(`\`${code}\``))).toMatch(new RegExp(` \\| ${status} \\|`))
  }
})

test('every reason of a rejection stands in the README, in the order in which they are told', () => {
  expect(namesOf('reason')).toEqual([...REASONS])
})

test('every metric stands in the README, with its kind and what it says of itself', () => {
  const rows = Object.entries(METRICS).map(([name, [kind, help]]) => `\`${name}\` | ${kind} | ${help}`)
  expect(rowsOf('metric')).toEqual(rows.map((row) => `| ${row} |`))
})

test('every type of event stands in the README, and no other', () => {
  expect(namesOf('type')).toEqual([...EVENT_TYPES])
})

test('every command stands in the README, and no other', () => {
  const commands = [...callsOf('src/cli', /\.command\('([\w-]+)'\)/g), ...callsOf('src/cli', /^ {2}service\('(\w+)'/gm)]
  expect(sorted(namesOf('command').map((name) => name.split(' ')[0]))).toEqual(sorted(commands))
})

test('every call stands in the README, and no other', () => {
  const daily = '/open/cooler/open/report_device_status/daily'
  const paths = callsOf('src/web', /\bresource\(\s*app,\s*['`]([^'`]+)['`]/g).map((path) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source text of a template
    path.replace(/:(id|day|file)/g, '{$1}').replace('${DAILY}', daily),
  )
  const documented = namesOf('call').map((name) => name.replace(/^[A-Z]+ /, ''))
  expect(sorted(new Set(documented))).toEqual(sorted([...paths, daily]))
})

test('what the README names of this repository is there', () => {
  const paths = [...readme.matchAll(/`((?:test|src|jobs|schema)\/[\w./-]*)`/g)].map(([, path]) => path)
  const scripts = [...readme.matchAll(/npm run (?:-s )?(\w+)/g)].map(([, name]) => name)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
  const known = Object.keys(JSON.parse(readText('package.json')).scripts)
  expect(known).toEqual(expect.arrayContaining(scripts))
})

test('each picture that the README shows is there, is told in words, and is small', () => {
  const pictures = [...readme.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)]
  expect(pictures.length).toBeGreaterThan(0)
  for (const [, words, path] of pictures) {
    expect(words.length, path).toBeGreaterThan(20)
    expect(statSync(new URL(`../${path}`, import.meta.url)).size, path).toBeLessThan(120_000)
  }
})

test('every package that is needed stands in the README, and no other', () => {
  const { dependencies } = JSON.parse(readText('package.json'))
  expect(sorted(namesOf('package'))).toEqual(sorted(Object.keys(dependencies)))
})
