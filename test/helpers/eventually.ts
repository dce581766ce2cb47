import { expect } from 'vitest'

/** An expectation of what `read` gives at last: asked again and again, for as long as a busy machine may take. */
export const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000, interval: 20 })
