import { createHash } from 'node:crypto'
import { constants, type FileHandle, open, writeFile } from 'node:fs/promises'
import { renameDurably } from '../../base/durable-file.ts'
import { CoolerError } from '../../base/errors.ts'
import { parsedOrUndefined } from '../../ingest/read-batch.ts'
import type { Message, Stamp } from './message-lines.ts'
import { type Received, RecentMessages } from './recent-messages.ts'

/** A message as a broker delivers it. */
export interface Delivery extends Message {
  /** The packet's identifier; undefined at quality of service 0. */
  messageId?: number | undefined
  /** Whether the broker has sent this packet before. */
  dup: boolean
  /** Identifiers of the subscriptions for which this copy was sent; empty if the broker gives none. */
  subscriptions: readonly number[]
}

type Retry = (work: () => Promise<void>) => Promise<void>

/**
 * Number of deliveries to remember: as many as there are packet identifiers, since a broker cannot have more without an
 * acknowledgement. Mosquitto 2.0.11 sends a whole backlog at once after a restart, regardless of RECEIVE_MAXIMUM.
 */
const SLOTS = 2 ** 16
export const RECEIVE_MAXIMUM = 64
const SLOT_BYTES = 256
/** Most subscriptions of one delivery that fit into a slot. */
const MOST_SUBSCRIPTIONS = 8

/** A `seq` combines 16 bits of the session, 17 of the message's running number and 20 of the event's place in it. */
const PLACES = 2 ** 20
const NUMBERS = 2 ** 17

/**
 * Gives each message of a session its stamp. The stamp stays the same if the broker sends the message again after a
 * crash, or as a copy for another subscription. Stamps are on disk before they are used, in a ring of slots with one
 * line each, so that a torn line spoils no other.
 */
export class MessageJournal {
  readonly #salt: number
  readonly #file: FileHandle
  readonly #retry: Retry
  #recent: RecentMessages

  private constructor(clientId: string, file: FileHandle, retry: Retry, received: readonly Received[]) {
    this.#retry = retry
    this.#salt = createHash('sha256').update(clientId).digest().readUInt16BE(0)
    this.#file = file
    this.#recent = new RecentMessages(SLOTS, received)
  }

  /** Opens a journal, converting the format of earlier versions. @param retry retries work while its error may pass */
  static async open(path: string, clientId: string, retry: Retry): Promise<MessageJournal> {
    let file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const bytes = await file.readFile()
    const earlier = readEarlierFormat(bytes)
    if (earlier.length > 0) {
      await file.close()
      await writeFile(`${path}.new`, Buffer.concat(earlier.map(slotOf)), { mode: 0o600, flush: true })
      renameDurably(`${path}.new`, path)
      file = await open(path, constants.O_RDWR)
    }
    return new MessageJournal(clientId, file, retry, earlier.length > 0 ? earlier : readSlots(bytes))
  }

  /** Returns the stamp of a message after making it durable. `last` is the highest subscription identifier so far. */
  async stamp(delivery: Delivery, now: number, last: number): Promise<Stamp> {
    const digest = digestOf(delivery)
    const { messageId: packet = null, subscriptions, dup } = delivery
    const known = dup && packet !== null ? this.#recent.redelivered(packet, digest) : undefined
    if (known !== undefined) return this.#stampOf(known)
    const received = this.#recent.add({
      packet,
      digest,
      subscriptions: subscriptions.slice(-MOST_SUBSCRIPTIONS),
      at: now,
      last,
    })
    await this.#retry(() => this.#write(received))
    return this.#stampOf(received)
  }

  /** Forgets all messages, because packet identifiers begin again in a new session. */
  async forget(): Promise<void> {
    this.#recent = this.#recent.emptied()
    await this.#file.truncate(0)
    await this.#file.datasync()
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  #stampOf({ at, message }: Pick<Received, 'at' | 'message'>): Stamp {
    return { at, seq: (this.#salt * NUMBERS + (message % NUMBERS)) * PLACES }
  }

  async #write(received: Received): Promise<void> {
    try {
      await this.#file.write(slotOf(received), 0, SLOT_BYTES, (received.delivery % SLOTS) * SLOT_BYTES)
      await this.#file.datasync()
    } catch (cause) {
      throw new CoolerError('store-full', `the bridge's journal cannot be written: ${(cause as Error).message}`, {
        cause,
      })
    }
  }
}

function slotOf(received: Received): Buffer {
  const line = Buffer.alloc(SLOT_BYTES, ' ')
  line.write(JSON.stringify(received))
  line.write('\n', SLOT_BYTES - 1)
  return line
}

/** Reads the slots. A message whose slot was never written, or is torn or damaged, counts as new if it comes again. */
const readSlots = (bytes: Buffer): Received[] =>
  parseSlots(bytes, SLOT_BYTES).filter((one, slot): one is Received => isReceived(one) && one.delivery % SLOTS === slot)

const parseSlots = (bytes: Buffer, slotBytes: number): unknown[] =>
  Array.from({ length: Math.ceil(bytes.length / slotBytes) }, (_, slot) =>
    parsedOrUndefined(bytes.toString('utf8', slot * slotBytes, (slot + 1) * slotBytes)),
  )

function isReceived(value: unknown): value is Received {
  if (typeof value !== 'object' || value === null) return false
  const { delivery, message, at, packet, digest, subscriptions, last } = value as Record<keyof Received, unknown>
  return (
    [delivery, message, at, last, packet ?? 0].every(isCount) &&
    typeof digest === 'string' &&
    Array.isArray(subscriptions) &&
    subscriptions.every(isCount)
  )
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** A message as earlier versions stored it: in 256 slots, with all packets in which the message came. */
interface EarlierEntry {
  n: number
  at: number
  digest: string
  packets: number[]
  subscriptions: number[]
  last: number
}

const EARLIER_SLOT_BYTES = 1024

/** Reads a journal of an earlier version, one delivery for each packet; returns an empty list for any other file. */
function readEarlierFormat(bytes: Buffer): Received[] {
  const entries = parseSlots(bytes, EARLIER_SLOT_BYTES).filter(isEarlierEntry)
  entries.sort((one, other) => one.n - other.n)
  const deliveries = entries.flatMap(({ n, at, digest, packets, subscriptions, last }) =>
    packets.map((packet, index) => {
      const own = index === 0 ? subscriptions.slice(-MOST_SUBSCRIPTIONS) : []
      return { message: n, at, digest, packet, subscriptions: own, last }
    }),
  )
  return deliveries.map((one, delivery) => ({ delivery, ...one }))
}

function isEarlierEntry(value: unknown): value is EarlierEntry {
  if (typeof value !== 'object' || value === null) return false
  const { n, at, digest, packets, subscriptions, last } = value as Record<keyof EarlierEntry, unknown>
  return (
    [n, at, last].every(isCount) &&
    typeof digest === 'string' &&
    [packets, subscriptions].every((all) => Array.isArray(all) && all.every(isCount))
  )
}

/** Returns a digest of the topic and the payload. NUL separates them, because a topic cannot contain it. */
function digestOf({ topic, payload }: Message): string {
  return createHash('sha256').update(`${topic}\0`).update(payload).digest('base64url').slice(0, 24)
}
