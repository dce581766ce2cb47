import { beforeAll, onTestFinished } from 'vitest'

type Cleanup = () => unknown

/** Of the thing that `oncePerGroup` is making now; null while a test runs. */
let ofGroup: Cleanup[] | null = null

/** Calls a function when the test has ended or, for what `oncePerGroup` makes, when the group has. The last one first. */
export function whenFinished(cleanup: Cleanup): void {
  if (ofGroup === null) onTestFinished(async () => void (await cleanup()))
  else ofGroup.unshift(cleanup)
}

/**
 * Makes a thing once for all tests of a `describe` or a file, and returns a function that gives it to them. Only for
 * tests that cannot tell what the others did with it: a service and its threads take a second of CPU time to start.
 */
export function oncePerGroup<Thing>(make: () => Promise<Thing>): () => Thing {
  let thing: Thing | undefined
  beforeAll(async () => {
    const cleanups: Cleanup[] = []
    const end = async (): Promise<void> => {
      for (const cleanup of cleanups) await cleanup()
    }
    ofGroup = cleanups
    try {
      thing = await make()
    } catch (error) {
      await end()
      throw error
    } finally {
      ofGroup = null
    }
    return end
  })
  return () => thing as Thing
}
