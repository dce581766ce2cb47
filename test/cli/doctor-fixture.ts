import { expect } from 'vitest'
import type { Cooler, Outcome } from './cooler.ts'

export interface Finding {
  check: string
  severity: string
  message: string
  advice: string | null
}

/** Runs `cooler doctor` and parses its findings, by their checks. */
export async function doctor(
  program: Cooler,
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome & { found: Map<string, Finding> }> {
  const outcome = await program.run(['doctor', '--json'], { env })
  const findings = outcome.stdout.split('\n').flatMap((line): Finding[] => (line === '' ? [] : [JSON.parse(line)]))
  return { ...outcome, found: new Map(findings.map((finding) => [finding.check, finding])) }
}

/** Matches a text. */
export const saying = (pattern: RegExp) => expect.stringMatching(pattern)
