/** Days that one question asks for. */
const WINDOW_DAYS = 28

/** Reads the days with events from one day to another, ascending. */
export type ReadDays = (fromDay: number, toDay: number) => Promise<number[]>

/** Knows on which days a shard has events, in a state of the store that does not change; asks for many days at once. */
export class DayList {
  readonly #read: ReadDays
  /** The days found from `#from` to before `#end`. */
  #days: number[] = []
  #from = 0
  #end = 0

  constructor(read: ReadDays) {
    this.#read = read
  }

  /**
   * Returns the first day with events from `day` on.
   *
   * @param search finds it if it is not among the days that one question asks for
   */
  async next(day: number, search: () => Promise<number | null>): Promise<number | null> {
    if (day < this.#from || day >= this.#end) await this.#load(day)
    let found = this.#days.find((one) => one >= day)
    if (found !== undefined) return found
    const first = await search()
    if (first === null) return null
    await this.#load(first)
    found = this.#days.find((one) => one >= day)
    return found ?? null
  }

  async #load(from: number): Promise<void> {
    this.#days = await this.#read(from, from + WINDOW_DAYS - 1)
    this.#from = from
    this.#end = from + WINDOW_DAYS
  }
}
