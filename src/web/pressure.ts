import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import { overloaded } from './bytes-in-hand.ts'

/** When a service sheds load. */
export interface PressureLimits {
  /** Mean lateness of the event loop over one look. A single long task does not reach it, one after the other does. */
  lateMs: number
  /** Share of the heap's limit that is used. */
  heapShare: number
  lookEveryMs: number
}

export const PRESSURE_LIMITS: PressureLimits = { lateMs: 250, heapShare: 0.9, lookEveryMs: 500 }

const RESOLUTION_MS = 20

/** Refuses what is not open to everybody while the event loop lags or the heap is nearly full; looks while it listens. */
export function shedLoad(app: FastifyInstance, limits: PressureLimits): void {
  let reason: string | null = null
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', (done) => {
    delay.enable()
    timer = setInterval(() => {
      reason = pressureOf(delay, limits)
      delay.reset()
    }, limits.lookEveryMs).unref()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    delay.disable()
    done()
  })
  app.addHook('onRequest', ({ routeOptions }, _reply, done) =>
    reason === null || routeOptions.config.access === 'open' ? done() : done(overloaded(reason)),
  )
}

/** Why load is to be shed; null where it is not. */
function pressureOf(delay: IntervalHistogram, { lateMs, heapShare }: PressureLimits): string | null {
  if (delay.count > 0 && delay.mean / 1e6 - RESOLUTION_MS > lateMs) return 'the service is behind with its requests'
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
  return used > heapShare * most ? 'the service has hardly any memory left' : null
}
