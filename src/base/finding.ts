/** Result of a check. `failure`: something is lost or broken; `warning`: it may be soon; `unknown`: it is not known. */
export type Severity = 'ok' | 'unknown' | 'warning' | 'failure'

export interface Finding {
  /** Name of the check, such as `redis persistence`. */
  check: string
  severity: Severity
  /** The situation that the check found. */
  message: string
  /** What to do about it; null if nothing needs to be done. */
  advice: string | null
}

/** Makes a finding that reports no problem. */
export const ok = (check: string, message: string): Finding => ({ check, severity: 'ok', message, advice: null })

/** Makes a finding that reports a problem, with advice on what to do about it. */
export const fault = (
  check: string,
  severity: Exclude<Severity, 'ok'>,
  message: string,
  advice: string | null,
): Finding => ({ check, severity, message, advice })
