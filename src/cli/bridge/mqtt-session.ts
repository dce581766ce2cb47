import { setTimeout as sleep } from 'node:timers/promises'
import type { IClientOptions, IPublishPacket, MqttClient, Packet } from 'mqtt'
import type { Logger } from 'pino'
import type { Mapping } from '../../ingest/mapping/mapping.ts'
import { UsageError } from '../context.ts'
import type { Sink } from '../sink.ts'
import type { BridgeState, Subscriptions } from './bridge-state.ts'
import type { BrokerAddress } from './broker-address.ts'
import { type MessageJournal, RECEIVE_MAXIMUM } from './message-journal.ts'
import { linesOfMessage } from './message-lines.ts'
import { findOverlap } from './topic-filters.ts'
import { RECONNECT_MS, watchConnection } from './watch-connection.ts'

/** Counts of messages, in addition to those of events and rejects (sink.ts). */
export interface MessageCounts {
  messages: number
  /** Retained messages that were left out. */
  retained: number
  /** Records from which the mapping made no event. */
  withoutEvent: number
}

export interface SessionParts {
  broker: BrokerAddress
  clientId: string
  state: BridgeState
  /** Null if events have a time of their own, because then a repeated message gives the same events. */
  journal: MessageJournal | null
  mapping: Mapping | null
  sink: Sink
  logger: Logger
  counts: MessageCounts
  takesRetained: boolean
}

/** Seconds for which a broker keeps messages while the bridge is away. This maximum leaves the limit to the broker. */
const SESSION_SECONDS = 0xffff_ffff
/** Retain handling: do not send retained messages; send them if the subscription is new. */
const [RETAIN_NEVER, RETAIN_IF_NEW] = [2, 1]

const QUIET_PINGS = 3
const PING_MS = 200

/** Takes the messages of one session one by one, and acknowledges each when its events are durable. */
export class MqttSession {
  readonly #parts: SessionParts
  readonly #client: MqttClient
  /** Number of the connection. Messages of an earlier connection must not be acknowledged on this one. */
  #connection = 0
  /** Highest subscription identifier that messages may be copies for. Waiting messages are older than new topics. */
  #lastIdentifier: number
  #turn: Promise<void> = Promise.resolve()
  /** Rejects when messages cannot be taken for a reason that does not pass. */
  readonly failed: Promise<never>
  #fail: (error: unknown) => void = () => {}

  constructor(connect: (url: string, options: IClientOptions) => MqttClient, parts: SessionParts) {
    const { broker, clientId } = parts
    this.#parts = parts
    this.#lastIdentifier = highest(parts.state.subscriptionsOf(clientId) ?? {})
    this.#client = connect(broker.url, {
      clientId,
      ...(broker.username === undefined ? {} : { username: broker.username }),
      ...(broker.password === undefined ? {} : { password: broker.password }),
      clean: false,
      protocolVersion: 5,
      properties: { sessionExpiryInterval: SESSION_SECONDS, receiveMaximum: RECEIVE_MAXIMUM },
      reconnectPeriod: RECONNECT_MS,
      resubscribe: false, // Done at each connection, below.
      // The broker sends the messages it has kept as soon as it is connected, so the handler must be set before.
      manualConnect: true,
    })
    this.failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    this.failed.catch(() => {}) // The caller that races it gets the error.
    watchConnection(this.#client, clientId, parts.logger)
    this.#client.on('close', () => {
      this.#connection++
    })
    this.#client.handleMessage = (packet, acknowledge) => this.#enqueue(packet, acknowledge)
  }

  /**
   * Connects, and subscribes to exactly these filters at this and each later connection. `unrecorded` are filters that
   * the session may have if there is no record of it.
   */
  start(filters: readonly string[], unrecorded: readonly string[]): void {
    const { state, clientId, logger } = this.#parts
    let isKnown = state.subscriptionsOf(clientId) !== undefined
    const subscriptions = state.add(clientId, filters)
    if (!isKnown) state.add(clientId, unrecorded)
    this.#client.on('connect', ({ sessionPresent }) => {
      if (isKnown && !sessionPresent)
        logger.warn({ clientId }, 'the broker has lost the session, and what waited in it')
      isKnown = true
      this.#subscribe(subscriptions, sessionPresent).catch((error) => {
        if (error instanceof UsageError) this.#fail(error)
        // If the connection was lost, the next one subscribes again.
        else if (this.#client.connected) logger.error({ err: error, clientId }, 'topics cannot be subscribed to')
      })
    })
    this.#client.connect()
  }

  /** Takes the remaining messages of a session that is no longer wanted, and ends the session. */
  async finish(): Promise<void> {
    const { state, clientId, logger } = this.#parts
    const client = this.#client
    let messages = 0
    client.on('packetreceive', ({ cmd }) => {
      if (cmd === 'publish') messages++
    })
    const connected = new Promise<boolean>((resolve) => {
      client.once('connect', ({ sessionPresent }) => resolve(sessionPresent))
    })
    client.connect()
    if (await connected) {
      const filters = Object.keys(state.subscriptionsOf(clientId) ?? {})
      if (filters.length > 0) await client.unsubscribeAsync(filters)
      await this.#quiet(() => messages)
    }
    await client.endAsync(false, { reasonCode: 0, properties: { sessionExpiryInterval: 0 } })
    state.remove(clientId)
    logger.info({ clientId, messages }, 'a session that is no longer used has ended')
  }

  /** Closes the connection and keeps the session. The broker sends messages again that were not acknowledged. */
  async end(): Promise<void> {
    await this.#client.endAsync(true)
    await this.#turn.catch(() => {})
    await this.#parts.journal?.close()
  }

  /** Resolves when the broker has answered some pings in a row with no message in between. */
  async #quiet(messages: () => number): Promise<void> {
    for (let quiet = 0; quiet < QUIET_PINGS; ) {
      const before = messages()
      await this.#ping()
      await this.#turn
      quiet = messages() === before ? quiet + 1 : 0
      await sleep(PING_MS)
    }
  }

  #ping(): Promise<void> {
    return new Promise((resolve) => {
      const onPacket = ({ cmd }: Packet): void => {
        if (cmd !== 'pingresp') return
        this.#client.off('packetreceive', onPacket)
        resolve()
      }
      this.#client.on('packetreceive', onPacket)
      this.#client.sendPing()
    })
  }

  async #subscribe(subscriptions: Subscriptions, sessionPresent: boolean): Promise<void> {
    const { state, clientId, journal, logger, takesRetained } = this.#parts
    const filters = Object.keys(subscriptions)
    const known = state.subscriptionsOf(clientId) ?? {}
    if (!sessionPresent) await journal?.forget()
    const hasIdentifiers = this.#client.serverProperties?.subscriptionIdentifiersAvailable !== false
    if (journal !== null && !hasIdentifiers && findOverlap(filters) !== null)
      throw new UsageError('topics overlap, and this broker does not tell copies apart (subscription identifiers)')
    const taken: string[] = []
    for (const filter of filters) {
      const properties = hasIdentifiers ? { properties: { subscriptionIdentifier: subscriptions[filter] } } : {}
      const options = { qos: 1, rh: takesRetained ? RETAIN_IF_NEW : RETAIN_NEVER, ...properties } as const
      try {
        await this.#client.subscribeAsync(filter, options)
        taken.push(filter)
      } catch (error) {
        if (!this.#client.connected) throw error
        logger.error({ err: error, clientId, topic: filter }, 'the broker refuses a topic')
      }
    }
    this.#lastIdentifier = Math.max(this.#lastIdentifier, highest(subscriptions))
    const gone = Object.keys(known).filter((filter) => !Object.hasOwn(subscriptions, filter))
    if (gone.length > 0) {
      const { granted = [] } = (await this.#client.unsubscribeAsync(gone)) as { granted?: number[] }
      const ended = gone.filter((_, index) => granted[index] === 0)
      if (ended.length > 0) logger.info({ clientId, topics: ended }, 'bridge takes these topics no longer')
    }
    state.confirm(clientId, subscriptions)
    if (taken.length > 0) logger.info({ clientId, topics: taken }, 'bridge takes messages')
  }

  /** Takes messages one after another, even if a connection is lost while one of them waits for the store. */
  #enqueue(packet: IPublishPacket, acknowledge: (error?: Error) => void): void {
    const connection = this.#client.connected ? this.#connection : null
    this.#turn = this.#turn.then(async () => {
      // On another connection its number may belong to another message. It is not acknowledged there, and comes again.
      const isStale = (): boolean => connection !== this.#connection
      if (!isStale()) await this.#take(packet)
      acknowledge(isStale() ? new Error('the connection was lost') : undefined)
    })
    this.#turn.catch(this.#fail)
  }

  async #take({ topic, payload, messageId, dup, retain, properties }: IPublishPacket): Promise<void> {
    const { journal, mapping, sink, logger, counts, takesRetained } = this.#parts
    counts.messages++
    if (retain && !takesRetained) {
      if (counts.retained++ === 0) logger.warn({ topic }, 'a retained message is left out: --retained takes them')
      return
    }
    const message = { topic, payload: typeof payload === 'string' ? Buffer.from(payload) : payload }
    const subscriptions = [properties?.subscriptionIdentifier ?? []].flat()
    const delivery = { ...message, messageId, dup: dup === true, subscriptions }
    const now = Date.now()
    const stamp = (await journal?.stamp(delivery, now, this.#lastIdentifier)) ?? { at: now, seq: 0 }
    const onEmpty = (): void => {
      if (counts.withoutEvent++ === 0) logger.warn({ topic }, 'the mapping makes no event of a message')
    }
    await sink.putLines(linesOfMessage(mapping, message, stamp, onEmpty))
  }
}

const highest = (subscriptions: Subscriptions): number => Math.max(0, ...Object.values(subscriptions))
