import type { Store } from '../../../src/store/open-store.ts'
import type { StoreView } from '../../../src/store/view.ts'

type Stores = Pick<Store, keyof StoreView | 'snapshot'>

/** Half of the steps are tried in one run, the others in another; all of them where RACE_STEPS is `all`. */
const STRIDE = process.env.RACE_STEPS === 'all' ? 1 : 2

/** The step to try after one; -1 comes before the first. */
export const nextStep = (step: number): number => (step < 0 ? process.pid % STRIDE : step + STRIDE)

/** Stores at each step of which something else may happen: before every call of a method, and after the last one. */
export interface Stepped {
  stores: Stores
  /** How many steps there have been. */
  steps: () => number
}

/** Calls `happen` at the step of that number (from 0), once; the steps are those of whoever uses `stores`. */
export function stepped(store: Store, at: number, happen: () => Promise<unknown>): Stepped {
  let steps = 0
  const step = async (): Promise<void> => {
    if (steps++ === at) await happen()
  }
  const wrapped = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          await step()
          return member.apply(target, args)
        }
      },
    })
  const parts = {
    landing: wrapped(store.landing),
    due: wrapped(store.due),
    archive: wrapped(store.archive),
    rollups: wrapped(store.rollups),
    registry: wrapped(store.registry),
    rejects: wrapped(store.rejects),
    erasure: wrapped(store.erasure),
  }
  return {
    stores: {
      ...parts,
      async snapshot(reads) {
        await step()
        const result = await store.snapshot(() => reads(parts))
        await step()
        return result
      },
    },
    steps: () => steps,
  }
}
