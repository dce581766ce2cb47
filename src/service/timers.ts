/** Work that is repeated where there is no queue. The next run is counted from the end of the previous one. */
export interface Chore {
  /** Milliseconds until the next run. */
  nextIn: () => number
  work: () => Promise<unknown>
}

/**
 * Runs each chore at once and then whenever it is due; runs of one chore never overlap. Timers measure elapsed time, so
 * setting the clock does not stop them. Returns a function that stops the chores after their current runs have ended.
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
