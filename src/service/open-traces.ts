import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { QueueTraces } from '../queue/queue-contract.ts'

/** Loads the module that makes spans if COOLER_TRACES is 1; returns undefined otherwise. */
export async function openTraces({ traces }: Config, logger: Logger): Promise<QueueTraces | undefined> {
  if (!traces) return undefined
  const { isSdkRegistered, queueTraces } = await import('../queue/traces.ts')
  if (!isSdkRegistered()) logger.warn('COOLER_TRACES is 1, but no OpenTelemetry SDK is registered: there are no traces')
  return queueTraces()
}
