// Loaded before a program: on SIGUSR2 it prints for how long at most its event loop was held since the last time.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const RESOLUTION_MS = 1
if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  process.on('SIGUSR2', () => {
    process.stdout.write(`held ${Math.max(0, delay.max / 1e6 - RESOLUTION_MS).toFixed(1)}\n`)
    delay.reset()
  })
}
