import type { Logger } from 'pino'
import { CoolerError } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../web/api/loopback.ts'

/**
 * Refuses to serve other machines without API keys, because then anyone who reaches the API may do everything.
 *
 * @throws CoolerError `bad-configuration`, unless COOLER_INSECURE is 1.
 */
export function requireKeys({ host, apiKeys, insecure }: Config): void {
  if (apiKeys !== null || insecure || isLoopback(host)) return
  throw new CoolerError(
    'bad-configuration',
    `HOST is ${JSON.stringify(host)}, where others can reach it: set COOLER_API_KEYS ("cooler key" makes keys), or ` +
      'COOLER_INSECURE=1 where something before it checks who calls',
  )
}

/** Logs who may call an API that has started to listen. */
export function tellWhoMayCall({ host, apiKeys }: Config, logger: Logger): void {
  if (apiKeys !== null) logger.info({ keys: apiKeys.map(({ name }) => name) }, 'the API asks for a key')
  else if (isLoopback(host)) logger.info('no API keys: the API is open to this machine, and listens on loopback only')
  else logger.warn({ host }, 'COOLER_INSECURE: the API is open to whoever reaches it')
}
