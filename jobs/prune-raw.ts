/** Deletes raw events that are older than they are to be kept, whole settled days at a time. */
export const pruneRaw =
  <Result>(run: (now: number) => Promise<Result>) =>
  (): Promise<Result> =>
    run(Date.now())
