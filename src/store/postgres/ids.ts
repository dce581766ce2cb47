import type { Session } from './session.ts'

/** How many ids one value of the sequence stands for. */
const BLOCK = 1000

/**
 * Gives ids to rows with bodies, many for one question to the server. They tell nothing about an order.
 *
 * A server that takes over, or starts again after a crash, may give values of the sequence again that the one before gave
 * to transactions which it has not kept. So ids are used only on the server that gave them.
 */
export class Ids {
  #next = 0
  #end = 0
  #server = ''

  /** Returns `count` ids. @param session in the transaction that uses them @param server see Shared.server */
  async take(session: Session, count: number, server: string): Promise<number[]> {
    if (server !== this.#server) this.#next = this.#end = 0
    this.#server = server
    const ids: number[] = []
    while (ids.length < count) {
      if (this.#next === this.#end) {
        const [{ start }] = await session.rows<{ start: number }>("SELECT nextval('segment_id') AS start")
        if (server !== this.#server) return this.take(session, count, server) // Another transaction has begun elsewhere.
        this.#next = start
        this.#end = start + BLOCK
      }
      ids.push(this.#next++)
    }
    return ids
  }
}
