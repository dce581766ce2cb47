import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import type { Job } from 'bullmq'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProducer, type ProducerOptions } from '../../src/enqueue/producer.ts'
import { BATCH_JOB, BATCH_JOB_OPTIONS } from '../../src/queue/queue-contract.ts'
import { queueTraces } from '../../src/queue/traces.ts'
import { openTraces } from '../../src/service/open-traces.ts'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { testConfig } from '../helpers/temporary-service.ts'
import { ended, type QueueFixture, queueFixture } from '../jobs/queue-fixture.ts'

const TRACED = { COOLER_TRACES: '1' }
const ADD = 'add telemetry.batch'
const PROCESS = 'process telemetry'
const good = visitors('a', 1)

interface Spans {
  /** Those that have ended, in that order; of one name or all. */
  ended(name?: string): ReadableSpan[]
}

/** An SDK of the process, as an operator registers it; gone when the test ends. */
function registeredSdk(): Spans {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  onTestFinished(async () => {
    for (const api of [trace, context, propagation]) api.disable()
    await provider.shutdown()
  })
  const named = (name: string | undefined) => (span: ReadableSpan) => name === undefined || span.name === name
  return { ended: (name) => exporter.getFinishedSpans().filter(named(name)) }
}

/** Does the work in a span of the test's own, and gives its id. */
const inSpan = (name: string, work: () => Promise<unknown>): Promise<string> =>
  trace.getTracer('test').startActiveSpan(name, async (span) => {
    await work()
    span.end()
    return span.spanContext().spanId
  })

function producerOf({ redis }: QueueFixture, options: Partial<ProducerOptions> = {}) {
  const producer = createProducer({ connection: redis.socket, ...options })
  onTestFinished(() => producer.close())
  return producer
}

const parentOf = ({ parentSpanContext }: ReadableSpan): string | undefined => parentSpanContext?.spanId
const idOf = (span: ReadableSpan): string => span.spanContext().spanId
const traceOf = (span: ReadableSpan): string => span.spanContext().traceId

describe('with traces', () => {
  test('the worker that lands a batch goes on with the trace of the producer', async () => {
    const spans = registeredSdk()
    const queue = await queueFixture()
    await queue.service({ work: true }, TRACED)
    const caller = await inSpan('reading', () => producerOf(queue, { traces: queueTraces() }).sendBatch([good]))
    await eventually(() => spans.ended(PROCESS)).toHaveLength(1)
    const [[add], [process]] = [spans.ended(ADD), spans.ended(PROCESS)]
    expect([parentOf(add), parentOf(process)]).toEqual([caller, idOf(add)])
    expect(traceOf(process)).toBe(traceOf(add))
    expect([add.kind, process.kind]).toEqual([SpanKind.PRODUCER, SpanKind.CONSUMER])
    expect(process.status.code).toBe(SpanStatusCode.UNSET)
  })

  test('so it does where the intake of another process has enqueued the batch, and where a rollup was asked for', async () => {
    const spans = registeredSdk()
    const queue = await queueFixture()
    const intake = await queue.service({}, TRACED)
    const worker = await queue.service({ work: true }, TRACED)
    const json = Buffer.from(JSON.stringify([good]))
    const caller = await inSpan('request', async () => {
      await intake.intake.accept({ json })
      await intake.rollups.run({ from: 20240, to: 20240 })
    })
    await eventually(() => worker.pipeline.reader.landing.counters()).toMatchObject({ landed: 1 })
    await eventually(() => spans.ended(PROCESS)).toHaveLength(1)
    const adds = [...spans.ended(ADD), ...spans.ended('add rollup.rollup').filter((span) => parentOf(span) === caller)]
    expect(adds.map(parentOf)).toEqual([caller, caller])
    // A span ends a moment after the job, whose end has been waited for.
    const processed = () => [PROCESS, 'process rollup'].flatMap((name) => spans.ended(name)).map(parentOf)
    await eventually(processed).toEqual(expect.arrayContaining(adds.map(idOf)))
  })

  test('each batch is in the trace of its own caller, also where it waits for those of others', async () => {
    const spans = registeredSdk()
    const producer = producerOf(await queueFixture(), { traces: queueTraces(), maxInFlightBatches: 1 })
    const names = ['first', 'second', 'third']
    const callers = await Promise.all(names.map((name) => inSpan(name, () => producer.sendBatch([visitors(name, 1)]))))
    expect(spans.ended(ADD).map(parentOf)).toEqual(callers)
  })

  test('a batch that fails shows why', async () => {
    const spans = registeredSdk()
    const queue = await queueFixture()
    await queue.service({ work: true }, TRACED)
    const added = await queue.enqueue({ neither: 'events nor lines' })
    await ended(queue.batches, added, 'failed')
    await eventually(() => spans.ended(PROCESS)).toHaveLength(1)
    const [{ status }] = spans.ended(PROCESS)
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: expect.stringMatching(/^bad-request: /) })
  })

  test.each(['no JSON', '{"traceparent":"00-no-trace"}', 'null', '{"traceparent":1,"baggage":{}}'])(
    'a batch whose trace is %j lands in a trace of its own',
    async (metadata) => {
      const spans = registeredSdk()
      const queue = await queueFixture()
      await queue.service({ work: true }, TRACED)
      const options = { ...BATCH_JOB_OPTIONS, removeOnComplete: false, telemetry: { metadata } }
      const added = await queue.batches.add(BATCH_JOB, { events: [good] }, options)
      await ended(queue.batches, added, 'completed')
      await eventually(() => spans.ended(PROCESS).map(parentOf)).toEqual([undefined])
    },
  )

  test('each tick of a schedule is a trace of its own', async () => {
    const spans = registeredSdk()
    const { service } = await queueFixture()
    await service({ work: true }, { ...TRACED, COOLER_REFRESH_MINUTES: '0.01' })
    const ticks = () => spans.ended('process rollup')
    await eventually(() => ticks().length).toBeGreaterThan(2)
    expect(ticks().map(parentOf)).toEqual(ticks().map(() => undefined))
    expect(new Set(ticks().map(traceOf)).size).toBe(ticks().length)
  })

  test('only what is added and processed is a span', async () => {
    const spans = registeredSdk()
    const queue = await queueFixture()
    const worker = await queue.service({ work: true }, TRACED)
    await producerOf(queue, { traces: queueTraces() }).sendBatch([good])
    await eventually(() => spans.ended(PROCESS)).toHaveLength(1)
    await worker.close()
    expect(spans.ended().filter(({ name }) => !/^(add|process) /.test(name))).toEqual([])
  })

  test('a job carries none where no SDK is registered, and a line in the log says so', async () => {
    const lines: string[] = []
    await openTraces(testConfig(TRACED), pino({ level: 'warn' }, { write: (line) => void lines.push(line) }))
    expect(lines).toEqual([expect.stringContaining('no OpenTelemetry SDK is registered')])
    const queue = await queueFixture()
    await producerOf(queue, { traces: queueTraces() }).sendBatch([good])
    expect((await queue.batches.getWaiting()).map(({ opts }: Job) => opts.telemetry)).toEqual([undefined])
  })
})

test('without traces there is no span, and no trace in a job, though an SDK is registered', async () => {
  const spans = registeredSdk()
  const queue = await queueFixture()
  const intake = await queue.service({})
  const producer = producerOf(queue)
  await inSpan('reading', async () => {
    await producer.sendBatch([good])
    await intake.intake.accept({ json: Buffer.from(JSON.stringify([good])) })
  })
  const waiting = await queue.batches.getWaiting()
  expect(waiting.map(({ opts }: Job) => opts.telemetry)).toEqual([undefined, undefined])
  const worker = await queue.service({ work: true })
  await eventually(() => worker.pipeline.reader.landing.counters()).toMatchObject({ landed: 2 })
  await worker.close()
  expect(spans.ended().map(({ name }) => name)).toEqual(['reading'])
})
