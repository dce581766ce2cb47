/** Makes and sends the messages of subscriptions. The store records what is due. */
export const notify =
  <Result>(run: () => Promise<Result>) =>
  (): Promise<Result> =>
    run()
