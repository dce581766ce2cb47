import type { Logger } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { createLogger } from '../log.ts'

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
