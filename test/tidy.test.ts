import { describe, expect, test } from 'vitest'
import { WHERE } from './helpers/package-users.ts'
import {
  functionLengths,
  type Import,
  importsOf,
  readText,
  type SourceFile,
  sourceFiles,
} from './helpers/source-files.ts'

/** The architecture of DESIGN.md as tests. Lists of exceptions are ratchets: they may only become shorter. */

const product = sourceFiles('src', 'jobs')
const tests = sourceFiles('test')
const imports = product.flatMap(importsOf)

/** The folders in the order of dependence: a folder imports only from those before it. The program's entry comes last. */
const FOLDERS = [
  'src/base',
  'src/config',
  'src/event',
  'src/store',
  'src/ingest',
  'src/rollup',
  'src/upkeep',
  'src/report',
  'src/notify',
  'src/verify',
  'src/explain',
  'src/erase',
  'src/move',
  'src/queue',
  'src/enqueue',
  'src/web',
  'jobs',
  'src/service',
  'src/simulate',
  'src/cli',
  'src/cli.ts',
]

/** The place of a file's folder in that order; -1 for a file in none of them. */
const orderOf = (path: string): number =>
  FOLDERS.findIndex((folder) => path === folder || path.startsWith(`${folder}/`))

/** Bundled for browsers, which have no Node.js. */
const BROWSER = 'src/web/dashboard/'

const isOwn = ({ to }: Import): boolean => /^(src|jobs)\//.test(to)

describe('imports go one way', () => {
  test('every file is in one of the folders', () => {
    expect(product.map(({ path }) => path).filter((path) => orderOf(path) < 0)).toEqual([])
  })

  test('a folder imports only from folders before it', () => {
    const wrong = imports.filter(isOwn).filter(({ from, to }) => orderOf(to) > orderOf(from))
    expect(wrong).toEqual([])
  })

  test('no file needs itself by a detour', () => {
    const needed = new Map<string, string[]>()
    for (const { from, to, typeOnly } of imports.filter(isOwn)) {
      if (!typeOnly) needed.set(from, [...(needed.get(from) ?? []), to])
    }
    const cycles: string[] = []
    const visit = (path: string, trail: readonly string[]): void => {
      const at = trail.indexOf(path)
      if (at >= 0) cycles.push([...trail.slice(at), path].join(' -> '))
      else if (!done.has(path)) for (const next of needed.get(path) ?? []) visit(next, [...trail, path])
      done.add(path)
    }
    const done = new Set<string>()
    for (const { path } of product) visit(path, [])
    expect(cycles).toEqual([])
  })

  test('only open-store.ts knows which engine there is', () => {
    for (const engine of ['src/store/sqlite/', 'src/store/postgres/']) {
      const users = imports.filter(({ from, to }) => to.startsWith(engine) && !from.startsWith(engine))
      expect(users.filter(({ from }) => from !== 'src/store/open-store.ts')).toEqual([])
    }
  })

  test('each package is used where it belongs', () => {
    /** Files that are served as they are; and a part of fastify, held back to the last version for Node.js 20. */
    const NOT_IMPORTED = ['@bull-board/ui', 'world-atlas', 'light-my-request']
    const foreign = imports.filter((one) => !isOwn(one) && !one.to.startsWith('node:'))
    expect(foreign.filter(({ from, to }) => !WHERE[to]?.test(from))).toEqual([])
    const { dependencies } = JSON.parse(readText('package.json'))
    /** Types alone, and what the build puts into our own files. */
    const BUILT_IN = [
      ...['@fastify/type-provider-typebox', 'typebox', 'typebox/compile'],
      ...['leaflet', 'rolldown', 'supercluster', 'topojson-client', 'uplot', 'world-atlas'],
    ]
    expect([...Object.keys(WHERE), ...NOT_IMPORTED].sort()).toEqual([...Object.keys(dependencies), ...BUILT_IN].sort())
  })

  test('what few need is loaded only where somebody asks for it: OpenTelemetry, the client of buckets', () => {
    const LAZY = ['src/queue/traces.ts', 'src/notify/senders/s3-bucket.ts']
    expect(imports.filter(({ to, typeOnly }) => LAZY.includes(to) && !typeOnly)).toEqual([])
  })

  test('what runs in a browser needs only what runs there: its libraries, figures, exceptions, and how texts are shown', () => {
    const SHARED =
      /^(leaflet|supercluster|uplot|src\/base\/(exceptions|id-text|message-text)\.ts|src\/rollup\/figures\/figures\.ts)$/
    const inBrowser = imports.filter(({ from }) => from.startsWith(BROWSER))
    expect(inBrowser.filter(({ to, typeOnly }) => !to.startsWith(BROWSER) && !SHARED.test(to) && !typeOnly)).toEqual([])
    const fromOutside = imports.filter(({ from, to }) => !from.startsWith(BROWSER) && to.startsWith(BROWSER))
    expect(fromOutside).toEqual([])
  })
})

/** How many lines of each file match, comments aside; files where it is allowed left out. */
function matches(files: readonly SourceFile[], pattern: RegExp, allowed: RegExp): Record<string, number> {
  const counts = files.flatMap(({ path, lines }): [string, number][] => {
    const count = lines.filter((line) => pattern.test(line) && !/^\s*(\/\/|\/?\*)/.test(line)).length
    return count === 0 || allowed.test(path) ? [] : [[path, count]]
  })
  return Object.fromEntries(counts)
}

/** No file beside those listed, none of them more than listed, and none listed that is good by now. */
function expectRatchet(actual: Record<string, number>, listed: Record<string, number>): void {
  expect(Object.keys(actual), 'fix what is new; take off the list what is good by now').toEqual(
    Object.keys(listed).sort(),
  )
  for (const [path, count] of Object.entries(actual)) expect(count, path).toBeLessThanOrEqual(listed[path])
}

describe('each thing has its place', () => {
  test('only config.ts reads the environment', () => {
    expectRatchet(
      matches(product, /\bprocess\s*(\.|\?\.|\[')env\b|\benv\b.*'node:process'/, /^src\/config\/config\.ts$/),
      {},
    )
  })

  test('only time*.ts, zone*.ts and local-day.ts do calendar arithmetic, and days.ts in a browser', () => {
    const calendar =
      /\bnew Date\(|\bDate\.(UTC|parse)\b|\.[gs]et(UTC)?(Date|Day|Month|FullYear|Hours|Minutes)\(|\b86_?400_?000\b/
    expectRatchet(
      matches(
        product,
        calendar,
        /^src\/(base\/(time|zone|zone-clock)|ingest\/mapping\/time-pattern|rollup\/local-day|web\/dashboard\/days)\.ts$/,
      ),
      {
        // The dates of RFC 3339.
        'src/event/parse-at.ts': 3,
        'src/ingest/scanner/instant.ts': 1,
        // Whole days as a bound of a span.
        'src/enqueue/producer-settings.ts': 1,
        // Instants as RFC 3339 texts.
        'src/simulate/stamp-clock.ts': 1,
        'src/simulate/invalid-event.ts': 2,
        'src/simulate/city.ts': 1,
      },
    )
  })

  test('SQL stands only in the adapters', () => {
    const sql =
      /\b(SELECT|INSERT|UPDATE|REPLACE) |\bDELETE FROM\b|\b(CREATE|DROP|ALTER) (TABLE|INDEX)\b|\b(PRAGMA|BEGIN|COMMIT|ROLLBACK)\b|\.(prepare|pragma)\(/
    expectRatchet(matches(product, sql, /^src\/store\/(sqlite|postgres)\//), {})
  })

  test("only the adapter knows of a store's files, and of their disk", () => {
    expectRatchet(matches(product, /-wal\b|-shm\b|\bstatfs/, /^src\/store\/sqlite\//), {})
  })

  test('a figure is stated once: its name stands elsewhere only where it is put into words for people', () => {
    const named = Object.keys(matches(product, /openCloseNum/, /^src\/web\/dashboard\/messages-(en|zh)\.ts$/))
    expect(named).toEqual(['src/rollup/figures/figures.ts'])
  })

  test('every import of our own ends in .ts', () => {
    // AssemblyScript adds it itself.
    const files = [...product, ...tests].filter(({ path }) => !path.startsWith('src/ingest/scanner/'))
    const lines = files.flatMap((file) => file.lines)
    expect(lines.filter((line) => /\bfrom '\.{1,2}\/[^']*(?<!\.ts)'$/.test(line))).toEqual([])
  })
})

test('every exported function says what it does', () => {
  const silent = (lines: readonly string[]) =>
    lines.filter((line, index) => {
      const before = lines[index - 1] ?? ''
      const isFunction = /^export (async )?function\*? |^export const \w+ = (async )?(<[^>]*>)?\(/.test(line)
      return isFunction && !before.trim().endsWith('*/') && !before.startsWith('export function ') // An overload.
    })
  const own = product.filter(({ path }) => !path.startsWith('src/ingest/scanner/'))
  expect(own.flatMap(({ path, lines }) => silent(lines).map((line) => `${path}: ${line}`))).toEqual([])
})

describe('length', () => {
  test('files have at most 250 lines', () => {
    const long = [...product, ...tests].filter(({ lines }) => lines.length > 250)
    expectRatchet(Object.fromEntries(long.map(({ path, lines }) => [path, lines.length])), {
      'test/cli/simulate.test.ts': 368,
      'test/ingest/scan/scan-lines.test.ts': 478,
      'test/store/codec/compact-codec.test.ts': 320,
    })
  })

  test('functions have at most 60 lines', () => {
    const lengths = product.map((file) => [file.path, Math.max(0, ...functionLengths(file).values())] as const)
    expect(lengths.filter(([, length]) => length > 20).length).toBeGreaterThan(10) // They are found at all.
    expectRatchet(Object.fromEntries(lengths.filter(([, length]) => length > 60)), { 'src/ingest/scanner/line.ts': 82 })
  })
})

describe('tests', () => {
  test('none is left out, and none is singled out', () => {
    expectRatchet(matches(tests, /\.(skip|only|todo)\(|\b[xf](it|test|describe)\(/, /^$/), {})
  })

  test('nothing names a place of one machine', () => {
    const place = new RegExp(['/root/', '/home/'].map((path) => `['"\`(\\s]${path}\\w`).join('|'))
    expectRatchet(matches([...product, ...tests], place, /^$/), {})
  })
})
