/** Finds what subscriptions are to be told and delivered, and sends it. The store knows what is due. */
export const notify =
  <Result>(run: () => Promise<Result>) =>
  (): Promise<Result> =>
    run()
