import { int, type Session } from './session.ts'

/** After so many questions of one kind, all blocks of the shard are read at once. */
const FEW_QUESTIONS = 4

/**
 * Reads the blocks of a whole shard once many of them are asked for one by one, as a rollup of a large fleet does: a
 * question to the server takes longer than reading some bodies too many.
 */
export class BlocksAhead {
  readonly #session: Session
  readonly #questions = new Map<string, number>()
  readonly #bodies = new Map<string, Promise<Map<number, Buffer>>>()
  readonly #days = new Map<number, Promise<Map<number, number[]>>>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Returns the body of a block, null if there is none; undefined if it is to be read by itself. */
  async block(shard: number, block: number, day: number): Promise<Buffer | null | undefined> {
    const key = `${shard} ${day}`
    if (this.#isAmongFew(key)) return undefined
    let bodies = this.#bodies.get(key)
    if (bodies === undefined) this.#bodies.set(key, (bodies = this.#readDay(shard, day)))
    return (await bodies).get(block) ?? null
  }

  /** Returns the days with a row of a block, ascending; undefined if they are to be read by themselves. */
  async daysOf(shard: number, block: number): Promise<number[] | undefined> {
    if (this.#isAmongFew(`${shard}`)) return undefined
    let days = this.#days.get(shard)
    if (days === undefined) this.#days.set(shard, (days = this.#readDays(shard)))
    return (await days).get(block) ?? []
  }

  #isAmongFew(key: string): boolean {
    const questions = (this.#questions.get(key) ?? 0) + 1
    this.#questions.set(key, questions)
    return questions <= FEW_QUESTIONS
  }

  async #readDay(shard: number, day: number): Promise<Map<number, Buffer>> {
    const bodies = new Map<number, Buffer>()
    await this.#session.copyOut(
      `SELECT block, body FROM rollup_block WHERE shard = ${int(shard)} AND day = ${int(day)}`,
      (row) => bodies.set(row.int(0), row.bytes(1)),
    )
    return bodies
  }

  async #readDays(shard: number): Promise<Map<number, number[]>> {
    const days = new Map<number, number[]>()
    await this.#session.copyOut(
      `SELECT block, day FROM rollup_block WHERE shard = ${int(shard)} ORDER BY block, day`,
      (row) => {
        const ofBlock = days.get(row.int(0))
        if (ofBlock === undefined) days.set(row.int(0), [row.int(1)])
        else ofBlock.push(row.int(1))
      },
    )
    return days
  }
}
