/** Describes one delivery of a message. */
export interface Received {
  /** Running number of the delivery. */
  delivery: number
  /** Running number of the message, shared by the deliveries of all its copies. */
  message: number
  /** Epoch ms at which the message first arrived. */
  at: number
  digest: string
  /** The packet's identifier; null at quality of service 0. */
  packet: number | null
  /** Subscriptions for which this copy was sent. */
  subscriptions: readonly number[]
  /** The highest subscription identifier that existed when the message first arrived. */
  last: number
}

/** A delivery that has no running numbers yet. */
export type Arrival = Omit<Received, 'delivery' | 'message'>

/** Messages with the same digest, oldest first. */
interface Equals {
  messages: Received[]
  /** How many of the oldest are forgotten: to take each off a long array would move all others. */
  forgotten: number
  /** For each subscription, the index after the latest of these messages that it has delivered. */
  delivered: Map<number, number>
}

/** The latest deliveries of a session. Tells repeated messages and copies for other subscriptions from new messages. */
export class RecentMessages {
  readonly #most: number
  /** Deliveries by number. */
  readonly #deliveries = new Map<number, Received>()
  /** The latest delivery of each packet identifier. */
  readonly #byPacket = new Map<number, Received>()
  readonly #byDigest = new Map<string, Equals>()
  #nextDelivery = 0
  #nextMessage = 0

  /**
   * @param most number of deliveries to remember
   * @param received earlier deliveries, in any order
   */
  constructor(most: number, received: readonly Received[]) {
    this.#most = most
    for (const one of received.toSorted((a, b) => a.delivery - b.delivery)) this.#remember(one)
  }

  /** Returns an empty instance, whose messages get other numbers than those of this one. */
  emptied(): RecentMessages {
    const empty = new RecentMessages(this.#most, [])
    empty.#nextMessage = this.#nextMessage
    return empty
  }

  /** Returns the latest delivery of a packet identifier; undefined if that was another message. */
  redelivered(packet: number, digest: string): Received | undefined {
    const received = this.#byPacket.get(packet)
    return received?.digest === digest ? received : undefined
  }

  /** Remembers a delivery, either of the message that it is a copy of or of a new message. */
  add(arrival: Arrival): Received {
    const original = this.#originalOf(arrival)
    const { message, at, last } = original ?? { ...arrival, message: this.#nextMessage }
    return this.#remember({ ...arrival, delivery: this.#nextDelivery, message, at, last })
  }

  /**
   * Returns the earlier message that this one repeats, or undefined: an equal message that was sent for other
   * subscriptions when all subscriptions of this one existed. Since each subscription delivers in order, it is the
   * first message after those that these subscriptions have delivered.
   */
  #originalOf({ digest, subscriptions }: Arrival): Received | undefined {
    const equals = this.#byDigest.get(digest)
    if (equals === undefined || subscriptions.length === 0) return undefined
    const start = Math.max(equals.forgotten, ...subscriptions.map((one) => equals.delivered.get(one) ?? 0))
    for (let place = start; place < equals.messages.length; place++) {
      const message = equals.messages[place]
      if (subscriptions.every((one) => one <= message.last)) return message
    }
    return undefined
  }

  #remember(received: Received): Received {
    const { delivery, message, packet, subscriptions } = received
    this.#nextDelivery = delivery + 1
    this.#nextMessage = Math.max(this.#nextMessage, message + 1)
    this.#forget(delivery - this.#most)
    this.#deliveries.set(delivery, received)
    if (packet !== null) this.#byPacket.set(packet, received)
    if (subscriptions.length > 0) this.#markDelivered(received)
    return received
  }

  #markDelivered(received: Received): void {
    const { digest, message, subscriptions } = received
    const equals: Equals = this.#byDigest.get(digest) ?? { messages: [], forgotten: 0, delivered: new Map() }
    this.#byDigest.set(digest, equals)
    const { messages, delivered } = equals
    // A new message has a higher number than all others, so no search is needed.
    const isNew = message > (messages.at(-1)?.message ?? -1)
    const place = isNew ? -1 : messages.findLastIndex((one) => one.message === message)
    const next = place < equals.forgotten ? messages.push(received) : place + 1
    for (const one of subscriptions) delivered.set(one, Math.max(next, delivered.get(one) ?? 0))
  }

  #forget(delivery: number): void {
    const received = this.#deliveries.get(delivery)
    if (received === undefined) return
    const { packet, digest } = received
    this.#deliveries.delete(delivery)
    if (packet !== null && this.#byPacket.get(packet) === received) this.#byPacket.delete(packet)
    const equals = this.#byDigest.get(digest)
    if (equals === undefined || equals.messages[equals.forgotten] !== received) return
    equals.forgotten++
    if (equals.forgotten === equals.messages.length) this.#byDigest.delete(digest)
    else if (equals.forgotten * 2 > equals.messages.length) drop(equals)
  }
}

/** Takes off the messages that are forgotten. */
function drop(equals: Equals): void {
  const { messages, forgotten, delivered } = equals
  messages.splice(0, forgotten)
  for (const [subscription, next] of delivered) delivered.set(subscription, Math.max(0, next - forgotten))
  equals.forgotten = 0
}
