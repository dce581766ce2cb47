import { type Logger, pino } from 'pino'

/** The program's log: one JSON object a line on standard error, so that standard output stays the command's own. */
export const createLogger = (level: string): Logger =>
  pino({ level, base: null }, pino.destination({ fd: 2, sync: false }))
