import { existsSync, readdirSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ERRORS } from '../src/base/errors.ts'
import { METRICS } from '../src/base/metrics.ts'
import { DOCTOR_OF_UNIT } from '../src/cli/examples/system.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { EVENT_TYPES } from '../src/event/fields.ts'
import { REASONS } from '../src/event/reasons.ts'
import { FIGURES } from '../src/rollup/figures/figures.ts'
import type { FigureStatement } from '../src/rollup/figures/statement.ts'
import { CHAPTERS } from '../src/web/reference/chapters.ts'
import { readText, sourceFiles } from './helpers/source-files.ts'

/** What the documents name, and what the program has: each must be in the other. */

const CHAPTER_FILES = CHAPTERS.map((name) => `schema/reference/${name}.md`)
const DOCUMENTS = ['README.md', 'src/README.md', ...CHAPTER_FILES]

const read = (path: string): string => readText(path).replace(/ {2,}/g, ' ')
const all = DOCUMENTS.map(read).join('\n')

/** The rows of the table whose first column has this title. */
function rowsOf(title: string, path = 'README.md'): string[] {
  const lines = read(path).split('\n')
  const from = lines.findIndex((line) => line.startsWith(`| ${title} |`))
  if (from < 0) throw new Error(`${path} has no table whose first column is ${title}`)
  const end = lines.findIndex((line, index) => index > from && !line.startsWith('|'))
  return lines.slice(from, end < 0 ? undefined : end).filter((line) => line.startsWith('| `'))
}

/** The names in code marks of that column. */
const namesOf = (title: string, path?: string): string[] =>
  rowsOf(title, path).flatMap((row) => [...row.split(' | ')[0].matchAll(/`([^`]+)`/g)].map(([, name]) => name))

const sorted = (names: Iterable<string>): string[] => [...names].sort()

/** What the calls of a function in some folder are given first. */
const callsOf = (folder: string, pattern: RegExp): string[] =>
  sourceFiles(folder).flatMap(({ lines }) => [...lines.join('\n').matchAll(pattern)].map(([, name]) => name))

describe('in the README stands', () => {
  test('every setting, and no other', () => {
    expect(sorted(namesOf('name'))).toEqual(sorted(SETTINGS.map(({ name }) => name)))
  })

  test('every figure with its unit, and when it is null', () => {
    const stated: [string, FigureStatement][] = Object.entries(FIGURES)
    const expected = stated.map(([name, { unit, nullWhen = 'never' }]) => [`\`${name}\``, unit, nullWhen])
    const cells = rowsOf('figure').map((row) => row.replace(/^\| /, '').split(' | '))
    expect(cells.map((row) => row.slice(0, 3))).toEqual(expected)
    expect(cells.filter(([, , , meaning]) => meaning.length < 20)).toEqual([])
  })

  test('every type of event, and no other', () => {
    expect(namesOf('type')).toEqual([...EVENT_TYPES])
  })

  test('every command, and no other', () => {
    const commands = [
      ...callsOf('src/cli', /\.command\('([\w-]+)'\)/g),
      ...callsOf('src/cli', /^ {2}service\('(\w+)'/gm),
    ]
    expect(sorted(namesOf('command').map((name) => name.split(' ')[0]))).toEqual(sorted(commands))
  })

  test('every call, and no other', () => {
    const daily = '/open/cooler/open/report_device_status/daily'
    const paths = callsOf('src/web', /\bresource\(\s*app,\s*['`]([^'`]+)['`]/g).map((path) =>
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the source text of a template
      path.replace(/:(id|day|file)/g, '{$1}').replace('${DAILY}', daily),
    )
    const documented = namesOf('call').map((name) => name.replace(/^[A-Z]+ /, ''))
    expect(sorted(new Set(documented))).toEqual(sorted([...paths, daily]))
  })

  test('the command by which the settings of the unit are looked at', () => {
    expect(readText('README.md')).toContain(`    ${DOCTOR_OF_UNIT}\n`)
  })

  test('a contents of its sections, and a link to every chapter', () => {
    const text = readText('README.md')
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => anchorOf(title))
    const contents = text.slice(text.indexOf('Contents:'), text.indexOf('\n## '))
    expect([...contents.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor)).toEqual(sections)
    const reference = text.slice(text.indexOf('\n## Reference'))
    const linked = [...reference.matchAll(/\]\((schema\/reference\/[^)]+)\)/g)].map(([, path]) => path)
    expect(linked).toEqual(CHAPTER_FILES)
  })
})

describe('in the chapters stands', () => {
  test('every error code with its status, and no other', () => {
    const file = 'schema/reference/errors.md'
    expect(namesOf('code', file)).toEqual(Object.keys(ERRORS))
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(rowsOf('code', file).filter((row) => row.startsWith(`| \`${code}\` | ${status} | `))).toHaveLength(1)
    }
  })

  test('every reason of a rejection, in the order of precedence', () => {
    expect(namesOf('reason', 'schema/reference/rejected-events.md')).toEqual([...REASONS])
  })

  test('every metric, with its kind and its help', () => {
    const rows = Object.entries(METRICS).map(([name, [kind, help]]) => `| \`${name}\` | ${kind} | ${help} |`)
    expect(rowsOf('metric', 'schema/reference/metrics.md')).toEqual(rows)
  })

  test('no chapter that is not served', () => {
    const files = readdirSync(new URL('../schema/reference', import.meta.url))
    expect(sorted(files.map((name) => `schema/reference/${name}`))).toEqual(sorted(CHAPTER_FILES))
  })
})

test('every package that is needed stands in src/README.md, and no other', () => {
  const { dependencies } = JSON.parse(readText('package.json'))
  expect(sorted(namesOf('package', 'src/README.md'))).toEqual(sorted(Object.keys(dependencies)))
})

describe('what the documents name is there', () => {
  test('settings, files and scripts', () => {
    const named = [...all.matchAll(/\bCOOLER_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
    expect(SETTINGS.map(({ name }): string => name)).toEqual(expect.arrayContaining(named))
    const paths = [...all.matchAll(/`((?:test|src|jobs|schema)\/[\w./-]*)`/g)].map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(10)
    expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
    const scripts = [...all.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name)
    const known = Object.keys(JSON.parse(readText('package.json')).scripts)
    expect(known).toEqual(expect.arrayContaining(scripts))
  })

  test('files and sections that are linked', () => {
    const links = DOCUMENTS.flatMap((from) =>
      [...readText(from).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, path, anchor]) => ({
        to: path === '' ? from : posix.join(posix.dirname(from), path),
        anchor,
      })),
    )
    expect(links.length).toBeGreaterThan(30)
    expect(links.filter(({ to }) => !existsSync(new URL(`../${to}`, import.meta.url)))).toEqual([])
    const lost = links.filter(({ to, anchor }) => anchor !== undefined && !anchorsIn(to).includes(anchor))
    expect(lost).toEqual([])
  })

  test('pictures, which are told in words, and are small', () => {
    const pictures = [...readText('README.md').matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)]
    expect(pictures.length).toBeGreaterThan(0)
    for (const [, words, path] of pictures) {
      expect(words.length, path).toBeGreaterThan(20)
      expect(statSync(new URL(`../${path}`, import.meta.url)).size, path).toBeLessThan(120_000)
    }
  })
})

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

const anchorsIn = (path: string): string[] =>
  [...readText(path).matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchorOf(title))
