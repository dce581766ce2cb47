import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { formatDay, utcDayOf } from '../base/time.ts'
import type { TelemetryEvent } from '../event/telemetry-event.ts'
import { openTraces } from '../service/open-traces.ts'
import type { Service } from '../service/service.ts'
import { simulateFleet } from '../simulate/fleet.ts'
import { wholeNumber } from './arguments.ts'
import { type CommandContext, commandContext } from './context.ts'
import { createProgress } from './output/progress.ts'
import type { PrivateRedis } from './private-redis.ts'
import { printedReport } from './report.ts'
import { stopped } from './start.ts'

interface DemoOptions {
  once?: boolean
  devices: number
  days: number
}

/** Adds the command `demo`. */
export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('simulate a small fleet, send it through the pipeline, print its reports and leave the API running')
    .option('--once', 'end after the reports')
    .option('--devices <count>', 'coolers', wholeNumber(1, 10_000), 12)
    .option('--days <count>', 'days that are over', wholeNumber(1, 31), 7)
    .action(demo)
}

async function demo(options: DemoOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-demo-'))
  const given = commandContext({ COOLER_STORE: join(folder, 'cooler.sqlite'), LOG_LEVEL: 'warn' })
  const { startPrivateRedis } = await import('./private-redis.ts')
  const redis = given.config.redisUrl === null ? await startPrivateRedis() : null
  const context = withQueue(given, redis)
  try {
    const { startService } = await import('../service/service.ts')
    const service = await startService({ ...context, api: true, work: true })
    try {
      await showPipeline(service, context, options)
      if (!options.once) {
        const dashboard = `${service.url}/#/day/${formatDay(demoDays(options.days).last)}`
        console.log(`\nThe dashboard is at ${dashboard}`)
        console.log(`The API runs at ${service.url}; Ctrl-C ends it. Try:\n\n${curlLines(service, context, options)}`)
        await stopped(service, context.logger, () => process.exit(1))
        return
      }
    } catch (error) {
      await service.close()
      throw error
    }
    await service.close()
  } finally {
    await redis?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function withQueue({ config, logger }: CommandContext, redis: PrivateRedis | null): CommandContext {
  if (redis !== null) {
    console.log('Queue: a redis-server of its own, ended with the demo.')
    return { logger, config: { ...config, redisUrl: redis.url, queue: 'redis' } }
  }
  if (config.redisUrl !== null) console.log('Queue: the Redis at REDIS_URL.')
  else console.log('Queue: none, since redis-server is not on the PATH: batches land directly.')
  return { logger, config }
}

async function showPipeline(service: Service, context: CommandContext, { devices, days }: DemoOptions): Promise<void> {
  const { first, last } = demoDays(days)
  const simulated = simulateFleet({ devices, days, startDay: formatDay(first), seed: 1, faults: true })
  const events = [...simulated] as TelemetryEvent[]
  console.log(`Fleet: ${devices} coolers, ${days} days, ${events.length.toLocaleString('en')} events.`)
  await send(service, context, events)
  await drained(service)
  const { deviceDays } = await service.rollups.run({ from: first, to: last })
  const { landed, rejected } = await service.pipeline.reader.landing.counters()
  console.log(`Landed ${landed.toLocaleString('en')}, rejected ${rejected}; rolled up ${deviceDays} device-days.\n`)
  console.log(`${await printedReport(service.pipeline, last, {})}\n`)
  console.log(await printedReport(service.pipeline, first, { to: last }))
}

/** Returns the latest days that are over in every zone. */
function demoDays(days: number): { first: number; last: number } {
  const last = utcDayOf(Date.now()) - 2
  return { first: last - days + 1, last }
}

const BATCH_EVENTS = 500

async function send(
  service: Service,
  { config, logger }: CommandContext,
  events: readonly TelemetryEvent[],
): Promise<void> {
  const progress = createProgress({ label: 'send', total: events.length, unit: 'events' })
  try {
    if (config.queue === 'direct' || config.redisUrl === null) {
      for (let start = 0; start < events.length; start += BATCH_EVENTS) {
        await service.intake.accept({ events: events.slice(start, start + BATCH_EVENTS) })
        progress.update(Math.min(events.length, start + BATCH_EVENTS))
      }
      return
    }
    const { createProducer } = await import('../enqueue/producer.ts')
    const traces = await openTraces(config, logger)
    const producer = createProducer({ connection: config.redisUrl, traces })
    for (let start = 0; start < events.length; start += BATCH_EVENTS) {
      await producer.room()
      // `close` reports the batches that failed.
      producer.send(events.slice(start, start + BATCH_EVENTS)).catch(() => {})
      progress.update(Math.min(events.length, start + BATCH_EVENTS))
    }
    await producer.close()
  } finally {
    progress.finish()
  }
}

/** Resolves when no batch in the queue is waiting, active or delayed. */
async function drained(service: Service): Promise<void> {
  for (;;) {
    const counts = await service.queueCounts()
    if (counts === null || counts.waiting + counts.active + counts.delayed === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function curlLines({ url }: Service, { config }: CommandContext, { days }: DemoOptions): string {
  const { first, last } = demoDays(days)
  const path = `${url}/open/cooler/open/report_device_status/daily`
  const key = config.apiKeys === null ? '' : " -H 'authorization: Bearer KEY'"
  const post = (to: string, body: unknown): string => `  curl -s ${to}${key} -d '${JSON.stringify(body)}'`
  return [
    post(path, { day: formatDay(last), assertIds: ['CLR-000001'] }),
    post(`${path}/summary`, { startDay: formatDay(first), endDay: formatDay(last) }),
  ].join('\n')
}
