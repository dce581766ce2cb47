import type { MqttClient } from 'mqtt'
import type { Channel, ChannelOf } from '../channel.ts'
import { payloadOf } from '../render/payload.ts'
import type { Links, Outcome, Sender, Sending } from '../sender.ts'
import { Attempts, errorLine } from './attempts.ts'

export interface MqttOptions {
  /** mqtt:// or mqtts:// URL, perhaps with a login. */
  url: string
  /** Takes precedence over the login of the URL. */
  login: { username: string | null; password: string | null }
  links: Links | null
  /** Certificates of authorities that are trusted instead of the usual ones, PEM. */
  ca?: string | undefined
  /** For connecting and publishing; 10 s unless given. */
  limitMs?: number | undefined
}

const LIMIT_MS = 10_000

/** Reasons of a broker that another attempt does not change: topic, size, format or quality of service. */
const FINAL: readonly (number | undefined)[] = [0x87, 0x90, 0x95, 0x99, 0x9b]

interface Connection {
  client: MqttClient
  ready: Promise<void>
  /** Rejects when the connection is lost. */
  lost: Promise<never>
}

/** Publishes messages by one connection, which is opened when it is first needed, and again after it was lost. */
export class MqttSender implements Sender {
  readonly #options: MqttOptions
  readonly #url: URL
  readonly #username: string
  readonly #password: string
  readonly #attempts: Attempts
  #connection: Promise<Connection> | null = null

  constructor(options: MqttOptions) {
    this.#options = options
    this.#url = new URL(options.url)
    this.#username = options.login.username ?? decodeURIComponent(this.#url.username)
    this.#password = options.login.password ?? decodeURIComponent(this.#url.password)
    this.#attempts = new Attempts(options.limitMs ?? LIMIT_MS)
  }

  send(channel: Channel, sending: Sending): Promise<Outcome> {
    return this.#attempts.run(sending.signal, (signal) => this.#try(channel as ChannelOf<'mqtt'>, sending, signal))
  }

  async close(): Promise<void> {
    await this.#attempts.close()
    await this.#drop()
  }

  async #try(channel: ChannelOf<'mqtt'>, sending: Sending, signal: AbortSignal): Promise<Outcome> {
    try {
      return await untilAborted(this.#publish(channel, sending), signal)
    } catch (error) {
      if (signal.aborted) {
        // A connection that does not answer is of no use to the next message either.
        if (!sending.signal.aborted) await this.#drop()
        throw error
      }
      return { as: 'failed', error: this.#line(error) }
    }
  }

  async #publish({ topic, qos = 1 }: ChannelOf<'mqtt'>, sending: Sending): Promise<Outcome> {
    const { client, ready, lost } = await this.#connected()
    await ready
    const payload = JSON.stringify(payloadOf({ ...sending, links: this.#options.links }, sending.file))
    const properties = { contentType: 'application/json', userProperties: { id: sending.message.id } }
    try {
      await Promise.race([client.publishAsync(topic, payload, { qos: qos as 0 | 1 | 2, properties }), lost])
      return { as: 'sent' }
    } catch (error) {
      if (!FINAL.includes((error as { code?: number }).code)) throw error
      return { as: 'refused', error: this.#line(error) }
    }
  }

  #line(error: unknown): string {
    return `the broker ${this.#url.host}: ${errorLine(error, [this.#password])}`
  }

  /** Returns the connection. It is not opened again by itself: the next attempt does. */
  #connected(): Promise<Connection> {
    if (this.#connection !== null) return this.#connection
    const connection = this.#connect()
    const forget = (): void => {
      if (this.#connection === connection) this.#connection = null
    }
    connection.then(({ lost }) => lost.catch(forget), forget)
    this.#connection = connection
    return connection
  }

  async #connect(): Promise<Connection> {
    const { connect } = await import('mqtt')
    const { ca, limitMs = LIMIT_MS } = this.#options
    const client = connect(`${this.#url.protocol}//${this.#url.host}`, {
      ...(this.#username === '' ? {} : { username: this.#username }),
      ...(this.#password === '' ? {} : { password: this.#password }),
      ...(ca === undefined ? {} : { ca }),
      protocolVersion: 5,
      clean: true,
      reconnectPeriod: 0,
      connectTimeout: limitMs,
    })
    const ready = new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      client.once('error', reject)
      client.once('close', () => reject(new Error('the connection was closed')))
    })
    ready.catch(() => {}) // Whoever publishes gets the error.
    const lost = new Promise<never>((_, reject) => {
      client.once('close', () => reject(new Error('the connection was lost')))
    })
    lost.catch(() => {})
    return { client, ready, lost }
  }

  /** Ends the connection at once; unsent messages are dropped. */
  async #drop(): Promise<void> {
    const dropped = this.#connection
    this.#connection = null
    if (dropped !== null) await (await dropped).client.endAsync(true)
  }
}

/** Waits for a promise, or for the end that a signal announces. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  promise.catch(() => {}) // It may fail after the end.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
  return Promise.race([promise, aborted])
}
