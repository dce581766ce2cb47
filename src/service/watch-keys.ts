import { unwatchFile, watchFile } from 'node:fs'
import type { Logger } from 'pino'
import { type ApiKey, readApiKeys } from '../config/api-keys.ts'

/** How often the file is looked at: whatever replaces it, and on any file system. */
const LOOK_EVERY_MS = 2000

export interface KeyWatch {
  /** Reads the keys again. Keys that cannot be read are logged, and those before stay. */
  reload(): void
  close(): void
}

/**
 * Hands over the keys of COOLER_API_KEYS whenever the file that it names has changed; `setting` that is the JSON itself
 * never changes.
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
