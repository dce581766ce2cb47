import { createHash } from 'node:crypto'
import { constants, type FileHandle, open } from 'node:fs/promises'
import { CoolerError } from '../../base/errors.ts'
import { parsedOrUndefined } from '../../ingest/read-batch.ts'
import type { Message, Stamp } from './message-lines.ts'

/** A message as a broker delivers it. */
export interface Delivery extends Message {
  /** The packet's identifier; undefined at quality of service 0. */
  messageId?: number | undefined
  /** Whether the broker has sent this packet before. */
  dup: boolean
  /** Identifiers of the subscriptions that this copy is of; empty where the broker gives none. */
  subscriptions: readonly number[]
}

type Retry = (work: () => Promise<void>) => Promise<void>

interface Entry {
  /** Running number of the message. */
  n: number
  at: number
  digest: string
  /** Packets that it came in, and subscriptions that they were of. */
  packets: number[]
  subscriptions: number[]
  /** The highest subscription identifier that there was. */
  last: number
}

/**
 * Messages that are remembered: more than a broker may have sent without an acknowledgement (RECEIVE_MAXIMUM), with
 * room for copies.
 */
const SLOTS = 256
export const RECEIVE_MAXIMUM = 64
const SLOT_BYTES = 1024
/** Packets and subscriptions that fit into a slot. */
const MOST_COPIES = 32

/** A `seq` is made of 16 bits of the session, 17 of the message's running number and 20 of the event's place in it. */
const PLACES = 2 ** 20
const NUMBERS = 2 ** 17

/**
 * Gives the messages of one session their stamps, the same message the same stamp: also where the broker sends it again
 * after a crash, or as a copy for another subscription. Stamps are on disk before they are used: a ring of slots, one
 * line each, so that a torn one spoils no other.
 */
export class MessageJournal {
  readonly #salt: number
  readonly #file: FileHandle
  readonly #retry: Retry
  #entries: Entry[]
  #next: number

  private constructor(clientId: string, file: FileHandle, retry: Retry, entries: Entry[]) {
    this.#retry = retry
    this.#salt = createHash('sha256').update(clientId).digest().readUInt16BE(0)
    this.#file = file
    this.#entries = entries
    this.#next = (entries.at(-1)?.n ?? -1) + 1
  }

  /** @param retry tries a piece of work again for as long as its error may pass */
  static async open(path: string, clientId: string, retry: Retry): Promise<MessageJournal> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT)
    const bytes = await file.readFile()
    const slots = Array.from({ length: SLOTS }, (_, slot) => bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES))
    // The message of a slot that was never written, or is torn or damaged, counts as new should it come again.
    const entries = slots.map((slot) => parsedOrUndefined(slot.toString('utf8'))).filter(isEntry)
    entries.sort((one, other) => one.n - other.n)
    return new MessageJournal(clientId, file, retry, entries)
  }

  /** The stamp of a message, durable when this resolves. `last` is the highest subscription identifier that there is. */
  async stamp(delivery: Delivery, now: number, last: number): Promise<Stamp> {
    const digest = digestOf(delivery)
    const { messageId, subscriptions } = delivery
    let entry = this.#redelivered(delivery, digest)
    if (entry === undefined) {
      entry = this.#copied(delivery, digest) ?? this.#add({ n: this.#next, at: now, digest, last })
      if (messageId !== undefined) entry.packets = [...entry.packets, messageId].slice(-MOST_COPIES)
      entry.subscriptions = [...entry.subscriptions, ...subscriptions].slice(-MOST_COPIES)
      const changed = entry
      await this.#retry(() => this.#write(changed))
    }
    return { at: entry.at, seq: (this.#salt * NUMBERS + (entry.n % NUMBERS)) * PLACES }
  }

  /** Forgets all messages: in a new session the numbers of packets begin again. */
  async forget(): Promise<void> {
    this.#entries = []
    await this.#file.truncate(0)
    await this.#file.datasync()
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  /** The message whose packet this is: the last one of that number, where it is the same message. */
  #redelivered({ dup, messageId }: Delivery, digest: string): Entry | undefined {
    if (!dup || messageId === undefined) return undefined
    const entry = this.#entries.findLast(({ packets }) => packets.includes(messageId))
    return entry?.digest === digest ? entry : undefined
  }

  /**
   * Returns the earlier message that this one repeats: an equal one that came for other subscriptions, at a time when
   * all of this one's existed too. Returns the earliest such message, since each subscription delivers in order.
   */
  #copied({ subscriptions }: Delivery, digest: string): Entry | undefined {
    if (subscriptions.length === 0) return undefined
    return this.#entries.find(
      (entry) =>
        entry.digest === digest &&
        entry.subscriptions.length > 0 &&
        subscriptions.every((one) => one <= entry.last && !entry.subscriptions.includes(one)),
    )
  }

  #add(entry: Pick<Entry, 'n' | 'at' | 'digest' | 'last'>): Entry {
    const added = { ...entry, packets: [], subscriptions: [] }
    this.#next++
    this.#entries = [...this.#entries.slice(1 - SLOTS), added]
    return added
  }

  async #write(entry: Entry): Promise<void> {
    const line = Buffer.alloc(SLOT_BYTES, ' ')
    line.write(JSON.stringify(entry))
    line.write('\n', SLOT_BYTES - 1)
    try {
      await this.#file.write(line, 0, SLOT_BYTES, (entry.n % SLOTS) * SLOT_BYTES)
      await this.#file.datasync()
    } catch (cause) {
      throw new CoolerError('store-full', `the bridge's journal cannot be written: ${(cause as Error).message}`, {
        cause,
      })
    }
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { n, at, digest, packets, subscriptions, last } = value as Record<keyof Entry, unknown>
  return (
    [n, at, last].every((one) => Number.isSafeInteger(one) && (one as number) >= 0) &&
    typeof digest === 'string' &&
    [packets, subscriptions].every((all) => Array.isArray(all) && all.every(Number.isSafeInteger))
  )
}

/** Digests the topic and the payload; a topic has no NUL in it. */
function digestOf({ topic, payload }: Message): string {
  return createHash('sha256').update(`${topic}\0`).update(payload).digest('base64url').slice(0, 24)
}
