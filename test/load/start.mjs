// npm run load -- --seconds 60: the load run of the tests, for as long and on as many devices as told.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    devices: { type: 'string', default: '100000' },
    days: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    // Only requests whose names fit this pattern.
    lanes: { type: 'string', default: '' },
    // A folder in which the store that is made stays, to be used again; each run works on a copy of it.
    store: { type: 'string', default: '' },
  },
})
const args = [
  'vitest',
  'run',
  '--config',
  'test/vitest.config.ts',
  'test/load/load.test.ts',
  '--disable-console-intercept',
]
const env = {
  ...process.env,
  LOAD_SECONDS: values.seconds,
  LOAD_DEVICES: values.devices,
  LOAD_DAYS: values.days,
  LOAD_SEED: values.seed,
  LOAD_LANES: values.lanes,
  LOAD_STORE: values.store,
}
spawn('npx', args, { stdio: 'inherit', env }).on('exit', (code) => process.exit(code ?? 1))
