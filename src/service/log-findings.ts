import type { Logger } from 'pino'
import type { Finding } from '../base/finding.ts'

/** Returns a function that logs the warnings and failures of checks, each again only when its message has changed. */
export function logFindings(logger: Logger): (findings: readonly Finding[]) => void {
  const logged = new Map<string, string>()
  return (findings) => {
    for (const { check, severity, message, advice } of findings) {
      if (logged.get(check) === message) continue
      logged.set(check, message)
      if (severity === 'warning' || severity === 'failure') logger.warn({ check, advice }, message)
    }
  }
}
