/** What is done again and again where there is no queue: when it is due next, counted from the end of the last run. */
export interface Chore {
  /** Milliseconds until the next run. */
  nextIn: () => number
  work: () => Promise<unknown>
}

/**
 * Runs each chore at once and then when it is due, one run of it after the other. Timers count time that passes, so a
 * clock that is set does not stop them. Gives what stops them, when the runs in hand have ended.
 */
export function startTimers(chores: readonly Chore[], onError: (error: Error) => void): () => Promise<void> {
  const stops = chores.map((chore) => repeat(chore, onError))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

function repeat({ nextIn, work }: Chore, onError: (error: Error) => void): () => Promise<void> {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const run = (): void => {
    running = work()
      .catch(onError)
      .then(() => {
        if (!stopped) timer = setTimeout(run, nextIn())
      })
  }
  run()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
