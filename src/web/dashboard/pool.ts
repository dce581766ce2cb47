/** Runs work on each item, a few at a time. Returns the results in the order of the items. */
export async function fewAtATime<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, nth: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const nth = next++
      results[nth] = await work(items[nth], nth)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
