import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import type { Command } from 'commander'
import type { MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import { eventsOfRecord } from '../ingest/apply-mapping.ts'
import type { Mapping } from '../ingest/mapping.ts'
import { parsedOrUndefined } from '../ingest/read-batch.ts'
import { collect, wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { mappingFile } from './mapping-file.ts'
import { openSink, type Sink } from './sink.ts'

interface BridgeOptions {
  topic: string[]
  mapping?: string
  clientId: string
  connections: number
  queue?: boolean
}

/** How long a broker keeps what has come while the bridge is away, in seconds: as long as it likes to. */
const SESSION_SECONDS = 0xffff_ffff
const RECONNECT_MS = 1000
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

export function bridgeCommand(program: Command): void {
  program
    .command('bridge')
    .description('land the messages of an MQTT broker, each acknowledged when its events are durable')
    .argument('<url>', 'mqtt:// or mqtts:// of the broker, with user and password where it asks for them')
    .requiredOption('--topic <filter>', 'topics to take, with + and #; may be given again', collect)
    .option('--mapping <file>', 'JSON that says how messages become events; without it a message is one, or a list')
    .option('--client-id <id>', 'by which the broker knows the session that goes on', 'cooler-bridge')
    .option('--connections <count>', 'share the topics among so many, for more messages at once', wholeNumber(1, 64), 1)
    .option('--queue', 'put the events into the queue at REDIS_URL instead of landing them')
    .addHelpText(
      'after',
      '\nExamples:\n  cooler bridge mqtt://127.0.0.1 --topic coolers/+/events\n' +
        '  cooler bridge mqtts://user:secret@broker --topic "fleet/#" --mapping mapping.json --queue\n',
    )
    .action(async (url: string, options: BridgeOptions) => {
      if (!/^mqtts?:\/\//.test(url)) throw new UsageError('the broker is an mqtt:// or mqtts:// URL')
      const mapping = options.mapping === undefined ? null : mappingFile(options.mapping)
      await bridge(url, mapping, options)
    })
}

/** Runs until it is told to end, or until a message cannot be put down for a reason that does not pass. */
async function bridge(url: string, mapping: Mapping | null, options: BridgeOptions): Promise<void> {
  const { config, logger } = commandContext()
  const { connect } = await import('mqtt')
  const ending = new AbortController()
  const sink = await openSink(config, logger, { queue: options.queue === true, signal: ending.signal })
  const clients = Array.from({ length: options.connections }, (_, number) =>
    connect(url, {
      clientId: options.connections === 1 ? options.clientId : `${options.clientId}-${number}`,
      clean: false,
      protocolVersion: 5,
      properties: { sessionExpiryInterval: SESSION_SECONDS },
      reconnectPeriod: RECONNECT_MS,
      // What the broker has kept for the session comes at once: whoever takes it must be there before.
      manualConnect: true,
    }),
  )
  const stopped = Promise.race(STOP_SIGNALS.map((signal) => once(process, signal)))
  const failed = Promise.race(clients.map((client) => take(client, { mapping, sink, logger })))
  try {
    const filters = options.topic.map((filter) => (options.connections === 1 ? filter : `$share/cooler/${filter}`))
    for (const client of clients) {
      client.once('connect', () => {
        client.subscribe(filters, { qos: 1 }, (error) => {
          if (error) logger.error({ err: error }, 'the broker refuses these topics')
          else logger.info({ topics: options.topic }, 'bridge takes messages')
        })
      })
      client.connect()
    }
    await Promise.race([stopped, failed])
  } finally {
    ending.abort()
    // What is in hand is not acknowledged: the broker sends it again, and the same event counts once.
    await Promise.all(clients.map((client) => client.endAsync(true)))
    await sink.close()
    logger.info(sink.counts, 'bridge has ended')
  }
}

/** Has each message of a client put down before it is acknowledged, one after the other. Rejects where one cannot be. */
function take(client: MqttClient, parts: { mapping: Mapping | null; sink: Sink; logger: Logger }): Promise<never> {
  const { mapping, sink, logger } = parts
  client.on('error', (error) => logger.warn({ err: error }, 'the broker cannot be reached: trying again'))
  client.on('reconnect', () => logger.info('connecting to the broker again'))
  return new Promise((_, reject) => {
    // The acknowledgement of a message is sent when this has called back.
    client.handleMessage = ({ topic, payload }, callback) => {
      const events = eventsOf(mapping, topic, Buffer.from(payload))
      sink.put(events).then(() => callback(), reject)
    }
  })
}

/**
 * What is no JSON is passed on as the text that it is, to be rejected where people look for it: also bytes that are no
 * UTF-8, whose text might be good JSON, of another device. An empty message is nothing: so topics are cleared.
 */
function eventsOf(mapping: Mapping | null, topic: string, payload: Buffer): unknown[] {
  if (payload.length === 0) return []
  const text = payload.toString('utf8')
  const value = isUtf8(payload) ? parsedOrUndefined(text) : undefined
  if (value === undefined) return [text]
  const records = Array.isArray(value) ? value : [value]
  if (mapping === null) return records
  const receivedAt = Date.now()
  return records.flatMap((record) => eventsOfRecord(mapping, { value: record, topic: topic.split('/'), receivedAt }))
}
