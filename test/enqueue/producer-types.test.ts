import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-store.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const PROGRAM = `
import { createProducer, ProducerError, type TelemetryEvent } from 'cooler-reports/producer'
const event: TelemetryEvent = { deviceId: 'a', at: 1764547200000, type: 'power', on: true }
const producer = createProducer({ connection: { host: 'redis', port: 6379 }, onError: (error: ProducerError) => void error.code })
export const sent: Promise<number> = producer.send([event]).then(() => producer.sendText(new Uint8Array(1)))
`

test('the declarations of the producer need no types of Node.js, BullMQ or ioredis', () => {
  const folder = temporaryFolder()
  const dist = join(ROOT, 'dist/src')
  // A folder of their own, so that no package can be found from there.
  const copied = new Set<string>()
  const copy = (path: string): void => {
    if (copied.has(path)) return
    copied.add(path)
    const text = readFileSync(join(dist, path), 'utf8')
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    for (const [, imported] of text.matchAll(/from '(\.{1,2}\/[\w/.-]+)\.ts'/g)) {
      copy(join(dirname(path), `${imported}.d.ts`))
    }
  }
  copy('enqueue/producer.d.ts')
  writeFileSync(join(folder, 'program.ts'), PROGRAM.replace('cooler-reports/producer', './enqueue/producer.js'))
  const options = '--strict --noEmit --target es2022 --lib es2022 --module nodenext --types'.split(' ')
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  expect(
    execFileSync(process.execPath, [compiler, ...options, '', 'program.ts'], { cwd: folder, encoding: 'utf8' }),
  ).toBe('')
  expect(copied.size).toBeGreaterThan(2)
})
