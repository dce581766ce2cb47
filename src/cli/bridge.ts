import { once } from 'node:events'
import type { Command } from 'commander'
import type { Mapping } from '../ingest/mapping/mapping.ts'
import { isPostgres } from '../store/open-store.ts'
import { collect, wholeNumber } from './arguments.ts'
import { BridgeState } from './bridge/bridge-state.ts'
import { type BrokerAddress, brokerAddress } from './bridge/broker-address.ts'
import { MessageJournal } from './bridge/message-journal.ts'
import { MqttSession } from './bridge/mqtt-session.ts'
import { checkFilter, findOverlap, withoutCovered } from './bridge/topic-filters.ts'
import { type CommandContext, commandContext, UsageError } from './context.ts'
import { mappingFile } from './mapping-file.ts'
import { openSink, patiently } from './sink.ts'

interface BridgeOptions {
  topic: string[]
  mapping?: string
  clientId: string
  connections: number
  shareGroup?: string
  retained?: boolean
  passwordFile?: string
  queue?: boolean
}

/** The checked options of a bridge. */
interface Plan {
  filters: readonly string[]
  mapping: Mapping | null
  /** Null if this bridge shares its messages with no other connection. */
  shareGroup: string | null
  clientIds: readonly string[]
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Adds the command `bridge`. */
export function bridgeCommand(program: Command): void {
  program
    .command('bridge')
    .description('land the messages of an MQTT 5 broker, each acknowledged when its events are durable')
    .argument('<url>', 'mqtt:// or mqtts:// of the broker; the user may be in it')
    .requiredOption('--topic <filter>', 'topics to take, with + and #; may be given again', collect)
    .option('--mapping <file>', 'JSON that says how messages become events; without it a message is one, or a list')
    .option('--client-id <id>', 'by which the broker knows the session that goes on', 'cooler-bridge')
    .option('--connections <count>', 'share the topics among so many, for more messages at once', wholeNumber(1, 64), 1)
    .option('--share-group <name>', 'share the topics with all bridges of this group (default: the client id)')
    .option('--retained', 'take retained messages, once for each new topic; left out otherwise')
    .option('--password-file <file>', 'file with the password; else COOLER_MQTT_PASSWORD, else the URL')
    .option('--queue', 'put the events into the queue at REDIS_URL instead of landing them')
    .addHelpText('after', EXAMPLES)
    .action(async (url: string, options: BridgeOptions) => {
      const context = commandContext()
      await bridge(context, brokerAddress(url, options.passwordFile, context.config), planOf(options), options)
    })
}

const EXAMPLES = `
A message is an event or an array of events; with a mapping it is a record or an array of records. cooler import --help
describes mappings. Here a text names a member of the message ("status.temp"; "$" is all of it, also plain text such as ON
or 23.5), and { "topic": 1 } is a level of the topic:
  { "deviceId": { "topic": 1 }, "at": "time", "events": [ { "type": "power", "on": { "from": "$", "true": ["ON"] } } ] }

Any other message is rejected, with the beginning of its text, and acknowledged. An empty message is ignored. Objects from
which the mapping makes no event are counted in the log. Limits: 32 MiB and a million records a message, 4 MiB a mapped record.

Sessions: the broker keeps a session for the bridge (quality of service 1), and sends what came while it was away.
  Sessions and topics are remembered in a folder next to the store (cooler.sqlite-bridge): keep it. Topics that are no longer
  asked for are unsubscribed; with fewer --connections the other sessions are emptied and ended. (Versions without that
  folder: start once with as many connections as before.)
  Give each bridge a --client-id of its own. --connections shares the topics among connections, --share-group among all
  bridges that name the same group. The group is the client id by default, so two installations get everything each.
  If a bridge of a group dies, the others go on. The messages in its session, which mosquitto continues to fill, wait until a
  bridge with its --client-id runs again, on any machine: let the supervisor start it under the same id.

What counts once: the copies that a broker sends for overlapping topics, a retained message (--retained: once for each new
  topic), and a message that is sent again after a crash, which keeps its first time. The events of a message get a "seq"
  unless the mapping has one. With "at": { "received": true } the time of receipt distinguishes observations.
What counts again: a message that its sender repeats, and one that a broker sends as new because it lost the acknowledgement.
  Therefore a mapping of "count" with "received" and without "seq" is refused unless it says "repeatsMayCount": true, and
  shared topics must not overlap. Two equal messages count once if the broker gives the second the packet number of the first
  and loses the connection before it arrives.

Examples:
  cooler bridge mqtt://127.0.0.1 --topic coolers/+/events
  COOLER_MQTT_PASSWORD=... cooler bridge mqtts://user@broker --topic "fleet/#" --mapping mapping.json --queue
`

/** Checks the options of the command. @throws UsageError */
function planOf({ topic, mapping: file, clientId, connections, shareGroup, retained }: BridgeOptions): Plan {
  const mapping = file === undefined ? null : mappingFile(file)
  topic.forEach(checkFilter)
  const filters = withoutCovered(topic)
  const isShared = connections > 1 || shareGroup !== undefined
  const group = shareGroup ?? clientId
  if (isShared && !/^[^/+#]+$/.test(group))
    throw new UsageError(`the share group ${JSON.stringify(group)} must not be empty or have /, + or # in it`)
  if (isShared && retained)
    throw new UsageError('--retained needs one connection and no --share-group: brokers retain nothing for groups')
  if (mapping !== null && 'received' in mapping.at) checkReceived(mapping, isShared ? findOverlap(filters) : null)
  const clientIds =
    connections === 1 ? [clientId] : Array.from({ length: connections }, (_, number) => `${clientId}-${number}`)
  return { filters, mapping, shareGroup: isShared ? group : null, clientIds }
}

/** Refuses settings by which an event without a time of its own could count twice. @throws UsageError */
function checkReceived({ events, seq, repeatsMayCount }: Mapping, overlap: [string, string] | null): void {
  const counts = events.find(({ fields }) => fields.some(([name]) => name === 'count'))
  if (counts !== undefined && seq === null && !repeatsMayCount) {
    const fault = `a ${counts.type} count with {"received": true} and without seq counts again when its sender repeats it`
    throw new UsageError(`${fault}: map at or seq, or accept it with "repeatsMayCount": true`)
  }
  if (overlap !== null) {
    const [one, other] = overlap.map((filter) => JSON.stringify(filter))
    throw new UsageError(`${one} and ${other} overlap: with {"received": true} a shared message would count twice`)
  }
}

/** Returns the folder in which the bridges of a store note their sessions: beside a file, else in the working folder. */
const stateFolder = (store: string): string => (isPostgres(store) ? './data/cooler-bridge' : `${store}-bridge`)

/** Runs until a signal stops it, or until a message cannot be stored for a reason that does not pass. */
async function bridge(
  { config, logger }: CommandContext,
  broker: BrokerAddress,
  plan: Plan,
  options: BridgeOptions,
): Promise<void> {
  const { connect } = await import('mqtt')
  const ending = new AbortController()
  const { mapping, clientIds, shareGroup } = plan
  const filters = plan.filters.map((filter) => (shareGroup === null ? filter : `$share/${shareGroup}/${filter}`))
  // Filters that earlier versions, which kept no record, subscribed to.
  const unrecorded = plan.filters.flatMap((filter) => [filter, `$share/cooler/${filter}`])
  const state = new BridgeState(stateFolder(config.store), broker.host, options.clientId)
  const sink = await openSink(config, logger, { queue: options.queue === true, signal: ending.signal })
  const counts = { messages: 0, retained: 0, withoutEvent: 0 }
  const retry = (work: () => Promise<void>): Promise<void> => patiently(work, logger, ending.signal)
  const isStamped = mapping !== null && 'received' in mapping.at
  const open = async (clientId: string): Promise<MqttSession> => {
    const journal = isStamped ? await MessageJournal.open(state.journalOf(clientId), clientId, retry) : null
    const parts = { broker, clientId, state, journal, mapping, sink, logger, counts }
    return new MqttSession(connect, { ...parts, takesRetained: options.retained === true })
  }
  const surplus = await Promise.all(state.clientIds.filter((clientId) => !clientIds.includes(clientId)).map(open))
  const sessions = await Promise.all(clientIds.map(open))
  const warnUnfinished = (error: Error): void =>
    logger.warn({ err: error }, 'a session that is no longer used could not be ended: the next start tries again')
  const stopped = Promise.race(STOP_SIGNALS.map((signal) => once(process, signal)))
  const failed = Promise.race([...sessions, ...surplus].map((session) => session.failed))
  try {
    for (const session of sessions) session.start(filters, unrecorded)
    for (const session of surplus) void session.finish().catch(warnUnfinished)
    await Promise.race([stopped, failed])
  } finally {
    ending.abort()
    await Promise.all([...sessions, ...surplus].map((session) => session.end()))
    await sink.close()
    logger.info({ ...sink.counts, ...counts }, 'bridge has ended')
  }
}
