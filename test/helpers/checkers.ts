import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

/** The checkers that may lie beside the project, and what they need. */
export const SHARED = fileURLToPath(new URL('../../../shared/', import.meta.url))
export const CASES = `${SHARED}cases/run.mjs`
export const REAL = `${SHARED}real/check.mjs`

/** Runs a checker to its end; what it printed, and its exit code, which is 0 where it found no fault. */
export async function check(program: string, ...args: string[]): Promise<{ code: number; printed: string }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, printed }
}

/** What a checker that found no fault gives. */
export const passed = { code: 0, printed: expect.stringMatching(/(^|\n)[1-9]\d* passed, 0 failed\n$/) }
