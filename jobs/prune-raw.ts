/** Deletes raw events that are past their retention time, in whole settled days. */
export const pruneRaw =
  <Result>(run: (now: number) => Promise<Result>, now: () => number) =>
  (): Promise<Result> =>
    run(now())
