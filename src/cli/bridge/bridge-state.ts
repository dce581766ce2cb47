import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { renameDurably } from '../../base/durable-file.ts'

/** Subscription identifiers by topic filter, as the broker has or may have them. */
export type Subscriptions = Record<string, number>

/**
 * Remembers which sessions a bridge has at its broker, and what each of them is subscribed to: a broker keeps both for
 * ever, and tells nobody. What may be there is written before the broker is asked for it, and taken out once the broker
 * has confirmed that it is gone.
 */
export class BridgeState {
  readonly #folder: string
  readonly #broker: string
  readonly #file: string
  readonly #sessions: Map<string, Subscriptions>
  #lastIdentifier: number

  /** @param broker host and port, which sessions belong to */
  constructor(folder: string, broker: string, clientId: string) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#broker = broker
    this.#file = this.#path(clientId, 'json')
    const { lastIdentifier = 0, sessions = {} } = readJson(this.#file)
    this.#lastIdentifier = lastIdentifier
    this.#sessions = new Map(Object.entries(sessions))
  }

  get clientIds(): string[] {
    return [...this.#sessions.keys()]
  }

  /** Subscriptions of a session; undefined where nothing is known of it. */
  subscriptionsOf(clientId: string): Subscriptions | undefined {
    return this.#sessions.get(clientId)
  }

  /** Adds filters to a session; a new one gets an identifier that no other ever had. Returns those of these filters. */
  add(clientId: string, filters: readonly string[]): Subscriptions {
    const known = new Map(Object.entries(this.#sessions.get(clientId) ?? {}))
    const own = filters.map((filter) => [filter, known.get(filter) ?? ++this.#lastIdentifier] as const)
    this.#save(clientId, Object.fromEntries([...known, ...own]))
    return Object.fromEntries(own)
  }

  /** Records that the broker has confirmed exactly these. */
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
    // Nothing is written where nothing changes: a bridge connects again although the disk is full.
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

/** Returns nothing for a file that is missing or damaged. */
function readJson(file: string): { lastIdentifier?: number; sessions?: Record<string, Subscriptions> } {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
