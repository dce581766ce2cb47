import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { CHROMIUM, isInstalled, MOSQUITTO, type Needed, PGBOUNCER, POSTGRES } from './helpers/install-package.ts'

const MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 2 ** 30

/**
 * Where the tests' stores are: every commit waits for the disk, and there are many thousands. No test cuts the power, so
 * memory tells it all as well, where there is enough of it.
 */
function fastFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM_BYTES ? MEMORY : tmpdir()
}

/** Tests of a program that not every machine has: without it they are left out, and it is said. */
function withoutProgram(needed: Needed, name: string, tests: readonly string[]): readonly string[] {
  if (isInstalled(needed)) return []
  console.warn(`LEFT OUT, for want of ${name} (install ${needed.packages.join(' ')}): ${tests.join(' ')}`)
  return tests
}

const withoutBrowser = withoutProgram(CHROMIUM, 'Chromium', [
  'test/web/dashboard-{day,device,map,parts,tiles,views}.test.ts',
  'test/web/postgres-dashboard.test.ts',
  'test/web/reference/routes.test.ts',
])
const withoutBroker = withoutProgram(MOSQUITTO, 'an MQTT broker', [
  'test/cli/bridge*.test.ts',
  'test/cli/postgres-bridge.test.ts',
  'test/fuzz/bridge.test.ts',
  'test/notify/senders/mqtt.test.ts',
])
const POOLER_TESTS = ['test/**/pgbouncer*.test.ts']
const withoutPostgres = withoutProgram(POSTGRES, 'PostgreSQL 15 or newer', [
  'test/**/postgres/**/*.test.ts',
  'test/**/postgres*.test.ts',
  ...POOLER_TESTS,
])
const withoutPooler = withoutProgram(PGBOUNCER, 'PgBouncer', POOLER_TESTS)

/** Tests on PostgreSQL that only `npm run test:postgres` runs: all but the contract of a store, and the cases. */
const ONLY_ON_POSTGRES = [
  'test/store/postgres/{errors,*-races,pgbouncer-contract}.test.ts',
  'test/{chaos,move,notify,report,rollup,upgrade}/postgres/*.test.ts',
  'test/{cli,web}/{postgres,pgbouncer}-*.test.ts',
  'test/postgres-recordings.test.ts',
]
const onlyPostgres = process.env.ONLY_POSTGRES === '1'
/** Properties that run on either engine: on PostgreSQL less often, as each run makes a database. */
const PROPERTIES = 'test/{explain,notify,report/fleet,rollup,verify}/!(upkeep|hostile|periods).property.test.ts'
/**
 * The dashboard's tests that show what is in the store run on either engine. Its tiles, its modules and the documentation
 * page show nothing of the store.
 */
const DASHBOARD = 'test/web/dashboard-{day,device,map,parts,views}.test.ts'
const ON_POSTGRES = { TEST_ENGINE: 'postgres', PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? '6' }

/** What takes longest, and waits more than it works: begun last, it would go on alone when all else is done. */
const LONGEST = ['chaos/chaos', 'end-to-end', 'postgres-cases', 'jobs/store-faults', 'queue/failover'].map(
  (name) => `/test/${name}.test.ts`,
)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: onlyPostgres ? [...ONLY_ON_POSTGRES, PROPERTIES, DASHBOARD] : ['test/**/*.test.ts'],
    exclude: [
      ...[...withoutBrowser, ...withoutBroker, ...withoutPostgres, ...withoutPooler],
      ...(onlyPostgres ? [] : ONLY_ON_POSTGRES),
    ],
    globalSetup: [
      'test/helpers/build-global-setup.ts',
      'test/helpers/redis-global-setup.ts',
      ...(withoutBrowser.length === 0 ? ['test/helpers/chromium-global-setup.ts'] : []),
      ...(withoutPostgres.length === 0 ? ['test/helpers/postgres-global-setup.ts'] : []),
    ],
    env: { TMPDIR: fastFolder(), ...(onlyPostgres ? ON_POSTGRES : {}) },
    // Worker threads, child processes and real services: nothing here may hang for ever, and nothing is timed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // A file leaves nothing behind, so that the next one in the same process need not load the program again.
    isolate: false,
    // One more than there are cores in CI: many tests wait for locks and clocks.
    maxWorkers: 3,
  },
})
