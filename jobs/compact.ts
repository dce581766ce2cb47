/** Compacts the raw events of closed days that have been rolled up. */
export const compact =
  <Result>(run: (now: number) => Promise<Result>, now: () => number) =>
  (): Promise<Result> =>
    run(now())
