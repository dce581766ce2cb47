import { describe, expect, test } from 'vitest'
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

/** The stage of a file: its folder in src/, `jobs`, or `root` for a file of src/ itself. */
const stageOf = (path: string): string =>
  path.startsWith('jobs/') ? 'jobs' : (/^src\/([^/]+)\//.exec(path)?.[1] ?? 'root')

/** Compiled for browsers, which have neither Node.js nor packages. */
const BROWSER = 'src/web/dashboard/'

const isOwn = ({ to }: Import): boolean => /^(src|jobs)\//.test(to)

describe('imports go one way', () => {
  /** Each stage, in the order of the flow, and what it may know beside itself. */
  const MAY_IMPORT: Record<string, readonly string[]> = {
    enqueue: [],
    root: [],
    raw: ['root'],
    summary: ['root', 'raw'],
    ingest: ['root', 'enqueue', 'raw'],
    rollup: ['root', 'raw', 'summary'],
    web: ['root', 'enqueue', 'ingest', 'raw', 'rollup', 'summary'],
    jobs: ['root', 'enqueue', 'ingest', 'rollup'],
    cli: ['root', 'enqueue', 'ingest', 'raw', 'rollup', 'summary', 'web', 'jobs'],
  }

  /** What one file may beside its stage's rule: root files that wire or read what is of a stage. */
  const FILE_MAY_IMPORT: Record<string, RegExp> = {
    'src/cli.ts': /^src\/cli\//,
    'src/open-store.ts': /^src\/(raw|summary)\//,
    // One transaction changes raw events and what is current of devices.
    'src/sqlite-erasure.ts': /^src\/(raw|summary)\//,
    'src/sqlite-erased-rest.ts': /^src\/(raw|summary)\//,
    'src/config.ts': /^src\/enqueue\/redis-url\.ts$/,
    // Only a type: data of a job.
    'src/enqueue/queue-contract.ts': /^src\/import-note\.ts$/,
    // The producer packs events that are surely good.
    'src/enqueue/queue-producer.ts': /^src\/(ingest\/pack-batch|errors)\.ts$/,
    'jobs/queues.ts': /^src\/web\/(status|queue-board)-routes\.ts$/,
    'jobs/queue-board.ts': /^src\/web\/(queue-board-routes|reference\/html)\.ts$/,
  }

  test('a stage imports only those it may', () => {
    const wrong = imports.filter(isOwn).filter(({ from, to }) => {
      const [stage, other] = [stageOf(from), stageOf(to)]
      return stage !== other && !MAY_IMPORT[stage]?.includes(other) && !FILE_MAY_IMPORT[from]?.test(to)
    })
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
    const engines = imports.filter(
      ({ to, from }) => /\/sqlite(-[^/]+)?\.ts$/.test(to) && !/\/sqlite(-[^/]+)?\.ts$/.test(from),
    )
    expect([...new Set(engines.map(({ from }) => from))]).toEqual(['src/open-store.ts'])
  })

  test('of the raw store others know its interfaces, columns and placements, few its readable events, damage and upkeep', () => {
    const INTERFACE = /^src\/raw\/(raw-store|registry|placement|event-columns|event-order|select-rows)\.ts$/
    const wrong = imports.filter(
      ({ from, to }) =>
        stageOf(to) === 'raw' && isOwn({ from, to, typeOnly: false }) && !INTERFACE.test(to) && stageOf(from) !== 'raw',
    )
    const known = [
      'src/cli/events.ts -> src/raw/device-events.ts',
      'src/cli/pipeline.ts -> src/raw/upkeep.ts',
      'src/cli/pipeline.ts -> src/raw/upkeep-thread.ts',
      'src/cli/upkeep.ts -> src/raw/upkeep.ts',
      'src/ingest/add-packed.ts -> src/raw/readable-event.ts',
      'src/rollup/explain/readings.ts -> src/raw/readable-event.ts',
      'src/rollup/roll-up-shard.ts -> src/raw/damaged-events.ts',
      'src/rollup/verify/verify-chunk.ts -> src/raw/damaged-events.ts',
      'src/summary/sqlite-damage.ts -> src/raw/compact-codec.ts',
      'src/summary/sqlite-damage.ts -> src/raw/damaged-events.ts',
      'src/summary/sqlite-damage.ts -> src/raw/segment-codec.ts',
    ]
    expect(
      wrong
        .map(({ from, to }) => `${from} -> ${to}`)
        .filter((line) => !/^src\/(open-store|sqlite-erase|sqlite-erasure)/.test(line)),
    ).toEqual(known)
  })

  test('each package is used where it belongs', () => {
    const WHERE: Record<string, RegExp> = {
      'better-sqlite3': /^src\/sqlite(-[^/]+)?\.ts$/,
      '@bull-board/api': /^jobs\/queue-board\.ts$/,
      bullmq: /^(jobs|src\/enqueue)\//,
      '@opentelemetry/api': /^src\/enqueue\/traces\.ts$/,
      ioredis: /^(jobs|src\/enqueue)\/|^src\/cli\/private-redis\.ts$/,
      fastify: /^src\/web\/|^src\/cli\/service\.ts$/,
      fflate: /^src\/summary\/export\/zip-stream\.ts$/,
      'hyparquet-writer': /^src\/summary\/export\/parquet-writer\.ts$/,
      piscina: /^src\/threads\.ts$|-thread\.ts$/,
      mqtt: /^src\/cli\/bridge(\/(mqtt-session|watch-connection))?\.ts$/,
      'csv-parse': /^src\/cli\/csv-(rows|layout)\.ts$/,
      commander: /^src\/cli(\/[^/]+)?\.ts$/,
      'prom-client': /^src\/metrics\.ts$/,
      pino: /^src\/log\.ts$|^src\/cli\//,
      'date-fns': /^src\/time(-pattern)?\.ts$/,
      '@date-fns/tz': /^src\/zone(-clock)?\.ts$/,
    }
    /** Files that are served as they are; and a part of fastify, held back to the last version for Node.js 20. */
    const NOT_IMPORTED = ['@bull-board/ui', 'world-atlas', 'light-my-request']
    const foreign = imports.filter((one) => !isOwn(one) && !one.to.startsWith('node:'))
    expect(foreign.filter(({ from, to }) => !WHERE[to]?.test(from))).toEqual([])
    const { dependencies } = JSON.parse(readText('package.json'))
    expect([...Object.keys(WHERE), ...NOT_IMPORTED].sort()).toEqual(Object.keys(dependencies).sort())
  })

  test('OpenTelemetry is loaded only where somebody asks for traces', () => {
    expect(imports.filter(({ to, typeOnly }) => to === 'src/enqueue/traces.ts' && !typeOnly)).toEqual([])
  })

  test('what runs in a browser needs only what is served there, and types of what it is told', () => {
    const inBrowser = imports.filter(({ from }) => from.startsWith(BROWSER))
    expect(inBrowser.filter(({ to, typeOnly }) => !to.startsWith(BROWSER) && !typeOnly)).toEqual([])
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
    expectRatchet(matches(product, /\bprocess\s*(\.|\?\.|\[')env\b|\benv\b.*'node:process'/, /^src\/config\.ts$/), {})
  })

  test('only time*.ts, zone*.ts and local-day.ts do calendar arithmetic, and days.ts in a browser', () => {
    const calendar =
      /\bnew Date\(|\bDate\.(UTC|parse)\b|\.[gs]et(UTC)?(Date|Day|Month|FullYear|Hours|Minutes)\(|\b86_?400_?000\b/
    expectRatchet(
      matches(
        product,
        calendar,
        /^src\/(time|time-pattern|zone|zone-clock|rollup\/local-day|web\/dashboard\/days)\.ts$/,
      ),
      {
        // The dates of RFC 3339.
        'src/ingest/parse-at.ts': 3,
        'src/ingest/scanner/instant.ts': 1,
        // Whole days as a bound of a span.
        'src/enqueue/producer-settings.ts': 1,
        // Instants as RFC 3339 texts.
        'src/cli/devices.ts': 1,
        'src/web/device-routes.ts': 1,
        'src/cli/simulate/stamp-clock.ts': 1,
        'src/cli/simulate/invalid-event.ts': 2,
        'src/cli/simulate/city.ts': 1,
      },
    )
  })

  test('SQL stands only in the adapters', () => {
    const sql =
      /\b(SELECT|INSERT|UPDATE|REPLACE) |\bDELETE FROM\b|\b(CREATE|DROP|ALTER) (TABLE|INDEX)\b|\b(PRAGMA|BEGIN|COMMIT|ROLLBACK)\b|\.(prepare|pragma)\(/
    expectRatchet(matches(product, sql, /^src\/([^/]+\/)?sqlite(-[^/]+)?\.ts$/), { 'src/open-store.ts': 3 })
  })

  test('every import of our own ends in .ts', () => {
    // AssemblyScript adds it itself.
    const files = [...product, ...tests].filter(({ path }) => !path.startsWith('src/ingest/scanner/'))
    const lines = files.flatMap((file) => file.lines)
    expect(lines.filter((line) => /\bfrom '\.{1,2}\/[^']*(?<!\.ts)'$/.test(line))).toEqual([])
  })
})

describe('length', () => {
  test('files have at most 250 lines', () => {
    const long = [...product, ...tests].filter(({ lines }) => lines.length > 250)
    expectRatchet(Object.fromEntries(long.map(({ path, lines }) => [path, lines.length])), {
      'test/cli/simulate.test.ts': 368,
      'test/ingest/scan-lines.test.ts': 478,
      'test/raw/compact-codec.test.ts': 320,
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
