import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import { overloaded } from './bytes-in-hand.ts'

/** Limits beyond which a service sheds load. */
export interface PressureLimits {
  /** Mean delay of the event loop in each of `looks` successive looks; a single long task is not an overload. */
  lateMs: number
  looks: number
  /** Used share of the heap limit. */
  heapShare: number
  lookEveryMs: number
}

export const PRESSURE_LIMITS: PressureLimits = { lateMs: 250, looks: 3, heapShare: 0.9, lookEveryMs: 500 }

const RESOLUTION_MS = 20

/** Refuses all but open routes while the event loop lags or the heap is nearly full. Measures only while listening. */
export function shedLoad(app: FastifyInstance, limits: PressureLimits): void {
  let reason: string | null = null
  let timer: NodeJS.Timeout | undefined
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  app.addHook('onListen', (done) => {
    const pressure = pressureWatch(delay, limits)
    delay.enable()
    timer = setInterval(() => {
      reason = pressure()
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

/** Returns a function that measures once and returns the reason to shed load, or null. */
function pressureWatch(delay: IntervalHistogram, { lateMs, looks, heapShare }: PressureLimits): () => string | null {
  let lateLooks = 0
  return () => {
    const isLate = delay.count > 0 && delay.mean / 1e6 - RESOLUTION_MS > lateMs
    delay.reset()
    lateLooks = isLate ? lateLooks + 1 : 0
    if (lateLooks >= looks) return 'the service is behind with its requests'
    const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
    return used > heapShare * most ? 'the service has hardly any memory left' : null
  }
}
