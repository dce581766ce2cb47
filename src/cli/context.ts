import type { Logger } from 'pino'
import { createLogger } from '../base/log.ts'
import { type Config, readConfig } from '../config/config.ts'

/** The settings and the logger of a command. */
export interface CommandContext {
  config: Config
  logger: Logger
}

/** Reads the settings from the environment and makes the logger. @throws CoolerError `bad-configuration` */
export function commandContext(overrides: Record<string, string> = {}): CommandContext {
  const config = readConfig(overrides)
  return { config, logger: createLogger(config.logLevel) }
}

/** A wrong option or argument: the program ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
