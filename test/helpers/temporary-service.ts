import { join } from 'node:path'
import { pino } from 'pino'
import { type Config, readConfig } from '../../src/config/config.ts'
import { type Service, startService } from '../../src/service/service.ts'
import { type OnEnd, temporaryFolder } from './temporary-store.ts'
import { whenFinished } from './when-finished.ts'

export type Settings = Record<string, string>

/** A fresh store, one rollup thread, raw events kept for ever (those of the tests are old), and no log. */
export function testConfig(settings: Settings = {}): Config {
  const own = {
    COOLER_STORE: settings.COOLER_STORE ?? join(temporaryFolder(), 'store.sqlite'),
    COOLER_THREADS: '1',
    COOLER_RAW_RETENTION_DAYS: '0',
    LOG_LEVEL: 'silent',
    PORT: '0',
  }
  return readConfig({ ...own, ...settings }, {})
}

export interface TemporaryService extends Service {
  config: Config
}

/** The service as the command line runs it; closed when the test ends, unless the test has closed it. */
export async function temporaryService(
  roles: { api: boolean; work: boolean },
  settings: Settings = {},
  onEnd: OnEnd = whenFinished,
): Promise<TemporaryService> {
  const config = testConfig(settings)
  const service = await startService({ config, logger: pino({ level: 'silent' }), ...roles })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= service.close())
  onEnd(close)
  return { ...service, config, close }
}
