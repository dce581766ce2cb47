// npm run chaos -- --minutes 30 --seed 7 --engine postgres: the chaos run of the tests, for as long as told.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const args = [
  'vitest',
  'run',
  '--config',
  'test/vitest.config.ts',
  values.engine === 'postgres' ? 'test/chaos/postgres/chaos.test.ts' : 'test/chaos/chaos.test.ts',
  '--disable-console-intercept',
]
const onlyPostgres = values.engine === 'postgres' ? { ONLY_POSTGRES: '1' } : {}
const env = { ...process.env, ...onlyPostgres, CHAOS_MINUTES: values.minutes, CHAOS_SEED: values.seed }
spawn('npx', args, { stdio: 'inherit', env }).on('exit', (code) => process.exit(code ?? 1))
