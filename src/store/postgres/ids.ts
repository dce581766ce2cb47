import type { Session } from './session.ts'

/** How many ids one value of the sequence stands for. */
const BLOCK = 1000

/** Gives ids to rows with bodies, many for one question to the server. They tell nothing about an order. */
export class Ids {
  #next = 0
  #end = 0

  /** Returns `count` ids. */
  async take(session: Session, count: number): Promise<number[]> {
    const ids: number[] = []
    while (ids.length < count) {
      if (this.#next === this.#end) {
        const [{ start }] = await session.rows<{ start: number }>("SELECT nextval('segment_id') AS start")
        this.#next = start
        this.#end = start + BLOCK
      }
      ids.push(this.#next++)
    }
    return ids
  }
}
