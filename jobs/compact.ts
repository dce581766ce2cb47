/** Compacts the raw events of closed days that have been rolled up. */
export const compact =
  <Result>(run: (now: number) => Promise<Result>) =>
  (): Promise<Result> =>
    run(Date.now())
