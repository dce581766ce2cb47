import type { Logger } from 'pino'
import type { Finding } from '../base/finding.ts'

/** Logs what a check found wrong, each thing once for as long as it does not change. */
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
