import { unwatchFile, watchFile } from 'node:fs'
import type { Logger } from 'pino'
import { type ApiKey, readApiKeys } from '../config/api-keys.ts'

/** Interval between looks at the file. Polling notices every kind of replacement, on any file system. */
const LOOK_EVERY_MS = 2000

export interface KeyWatch {
  /** Reads the keys again. If that fails, logs the error and keeps the previous keys. */
  reload(): void
  close(): void
}

/**
 * Calls `onKeys` with the new keys whenever the file that `setting` (COOLER_API_KEYS) names has changed. A setting that
 * is the JSON itself never changes.
 */
export function watchKeys(setting: string, onKeys: (keys: readonly ApiKey[]) => void, logger: Logger): KeyWatch {
  const isFile = !setting.trimStart().startsWith('[')
  const reload = (): void => {
    try {
      const keys = readApiKeys(setting)
      onKeys(keys)
      logger.info({ keys: keys.map(({ name }) => name) }, 'API keys read again')
    } catch (error) {
      logger.error({ reason: (error as Error).message }, 'API keys not read again: those before stay')
    }
  }
  if (isFile) watchFile(setting, { interval: LOOK_EVERY_MS, persistent: false }, reload)
  return {
    reload,
    close: () => {
      if (isFile) unwatchFile(setting, reload)
    },
  }
}
