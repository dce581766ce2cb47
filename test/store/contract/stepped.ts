import type { Store } from '../../../src/store/open-store.ts'
import type { StoreView } from '../../../src/store/view.ts'

type Stores = Pick<Store, keyof StoreView | 'snapshot'>

/**
 * Some of the steps are tried in one run, the others in other ones; all of them where RACE_STEPS is `all`. On PostgreSQL
 * each step takes several times as long.
 */
const STRIDE = process.env.RACE_STEPS === 'all' ? 1 : process.env.ONLY_POSTGRES === '1' ? 5 : 2

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
  const parts = <View extends StoreView>({
    landing,
    due,
    archive,
    rollups,
    registry,
    rejects,
    erasure,
    notices,
    moving,
  }: View) => ({
    landing: wrapped<View['landing']>(landing),
    due: wrapped<View['due']>(due),
    archive: wrapped<View['archive']>(archive),
    rollups: wrapped<View['rollups']>(rollups),
    registry: wrapped<View['registry']>(registry),
    rejects: wrapped<View['rejects']>(rejects),
    erasure: wrapped<View['erasure']>(erasure),
    notices: wrapped<View['notices']>(notices),
    moving: wrapped<View['moving']>(moving),
  })
  return {
    stores: {
      ...parts(store),
      async snapshot(reads) {
        await step()
        const result = await store.snapshot((view) => reads(parts(view)))
        await step()
        return result
      },
    },
    steps: () => steps,
  }
}
