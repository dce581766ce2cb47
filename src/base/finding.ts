/**
 * What a check found: `failure` where something is lost or does not work, `warning` where it may come to that,
 * `unknown` where it could not be told.
 */
export type Severity = 'ok' | 'unknown' | 'warning' | 'failure'

export interface Finding {
  /** What was looked at, such as `redis persistence`. */
  check: string
  severity: Severity
  /** What is the case. */
  message: string
  /** What to do about it; null where there is nothing to be done. */
  advice: string | null
}

/** Makes a finding that all is well. */
export const ok = (check: string, message: string): Finding => ({ check, severity: 'ok', message, advice: null })

/** Makes a finding of something that is wrong, with what to do about it. */
export const fault = (
  check: string,
  severity: Exclude<Severity, 'ok'>,
  message: string,
  advice: string | null,
): Finding => ({ check, severity, message, advice })
