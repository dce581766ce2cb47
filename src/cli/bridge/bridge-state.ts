import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { renameDurably } from '../../base/durable-file.ts'
import { CoolerError } from '../../base/errors.ts'
import { parsedOrUndefined } from '../../ingest/read-batch.ts'

/** Subscription identifiers by topic filter, as the broker has or may have them. */
export type Subscriptions = Record<string, number>

/**
 * Remembers which sessions a bridge has at its broker, and what each is subscribed to: a broker keeps both for ever and
 * does not report them. An entry is written before the broker is asked for it, and removed after the broker has
 * confirmed that it is gone.
 */
export class BridgeState {
  readonly #folder: string
  readonly #broker: string
  readonly #file: string
  readonly #sessions: Map<string, Subscriptions>
  #lastIdentifier: number

  /**
   * @param broker host and port of the broker, to which sessions belong
   * @throws CoolerError `store-damaged`
   */
  constructor(folder: string, broker: string, clientId: string) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#broker = broker
    this.#file = this.#path(clientId, 'json')
    const { lastIdentifier, sessions } = readState(this.#file)
    this.#lastIdentifier = lastIdentifier
    this.#sessions = new Map(Object.entries(sessions))
  }

  get clientIds(): string[] {
    return [...this.#sessions.keys()]
  }

  /** Returns the subscriptions of a session; undefined if nothing is known of it. */
  subscriptionsOf(clientId: string): Subscriptions | undefined {
    return this.#sessions.get(clientId)
  }

  /** Adds filters to a session and returns their identifiers. A new filter gets an identifier never used before. */
  add(clientId: string, filters: readonly string[]): Subscriptions {
    const known = new Map(Object.entries(this.#sessions.get(clientId) ?? {}))
    const own = filters.map((filter) => [filter, known.get(filter) ?? ++this.#lastIdentifier] as const)
    this.#save(clientId, Object.fromEntries([...known, ...own]))
    return Object.fromEntries(own)
  }

  /** Records that the broker has confirmed exactly these subscriptions. */
  confirm(clientId: string, subscriptions: Subscriptions): void {
    this.#save(clientId, subscriptions)
  }

  /** Records that a session has ended. */
  remove(clientId: string): void {
    this.#save(clientId, undefined)
  }

  /** Returns the path of a session's journal. */
  journalOf(clientId: string): string {
    return this.#path(clientId, 'journal')
  }

  #save(clientId: string, subscriptions: Subscriptions | undefined): void {
    // Nothing is written if nothing changes, so that a bridge can connect again although the disk is full.
    if (isDeepStrictEqual(this.#sessions.get(clientId), subscriptions)) return
    if (subscriptions === undefined) this.#sessions.delete(clientId)
    else this.#sessions.set(clientId, subscriptions)
    const [broker, lastIdentifier] = [this.#broker, this.#lastIdentifier]
    const text = JSON.stringify({ broker, lastIdentifier, sessions: Object.fromEntries(this.#sessions) })
    writeFileSync(`${this.#file}.new`, text)
    renameDurably(`${this.#file}.new`, this.#file)
  }

  #path(clientId: string, kind: string): string {
    const digest = createHash('sha256').update(`${this.#broker}\n${clientId}`).digest('hex').slice(0, 12)
    return join(this.#folder, `${clientId.replace(/[^\w-]/g, '_').slice(0, 60)}-${digest}.${kind}`)
  }
}

interface Remembered {
  lastIdentifier: number
  sessions: Record<string, Subscriptions>
}

/**
 * Reads the sessions and the last identifier from a file. If there is no file, the bridge starts without sessions.
 *
 * @throws CoolerError `store-damaged`: else identifiers would be given twice, and sessions stay at the broker for ever
 */
function readState(file: string): Remembered {
  const state = existsSync(file) ? parsedOrUndefined(readFileSync(file, 'utf8')) : { lastIdentifier: 0, sessions: {} }
  if (isRemembered(state)) return state
  throw new CoolerError(
    'store-damaged',
    `${file} is damaged: the bridge no longer knows its sessions at the broker; end those there, remove the file, and` +
      ' start the bridge with another --client-id',
  )
}

function isRemembered(value: unknown): value is Remembered {
  if (!isObject(value)) return false
  const { lastIdentifier, sessions } = value
  return isIdentifier(lastIdentifier) && isObject(sessions) && Object.values(sessions).every(isSubscriptions)
}

const isSubscriptions = (value: unknown): boolean => isObject(value) && Object.values(value).every(isIdentifier)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isIdentifier = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
