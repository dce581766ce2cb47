import type { Logger } from 'pino'
import { createLogger } from '../base/log.ts'
import { type Config, readConfig } from '../config/config.ts'

/** What a command works with. */
export interface CommandContext {
  config: Config
  logger: Logger
}

/** Settings from the environment. @throws CoolerError `bad-configuration` */
export function commandContext(overrides: Record<string, string> = {}): CommandContext {
  const config = readConfig(overrides)
  return { config, logger: createLogger(config.logLevel) }
}

/** A wrong option or argument: the program ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
