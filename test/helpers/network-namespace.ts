import { execFileSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** A network of its own for processes, joined to that of the test by one cable. */
export interface NetworkNamespace {
  /** Address of the test on the cable. */
  readonly outside: string
  /** Address of the processes within. */
  readonly inside: string
  /** What to put before a command so that it runs within. */
  readonly command: readonly string[]
  /** Pulls the cable: packets are lost, and nobody is told. */
  down(): void
  up(): void
}

let opened = 0

/** Makes a namespace, removed when the test ends; null where this user may not, or there is no `ip`. */
export function openNamespace(): NetworkNamespace | null {
  const number = opened++
  const name = `cooler-${process.pid}-${number}`
  const [near, far] = [`c${process.pid % 1e6}n${number}`, `c${process.pid % 1e6}f${number}`]
  const net = `10.${64 + (process.pid % 128)}.${number % 256}`
  const [outside, inside] = [`${net}.1`, `${net}.2`]
  const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'pipe' })
  try {
    ip('netns', 'add', name)
  } catch {
    return null
  }
  onTestFinished(() => ip('netns', 'del', name)) // The cable goes with it.
  ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name)
  ip('addr', 'add', `${outside}/30`, 'dev', near)
  ip('link', 'set', near, 'up')
  ip('-n', name, 'addr', 'add', `${inside}/30`, 'dev', far)
  for (const device of ['lo', far]) ip('-n', name, 'link', 'set', device, 'up')
  return {
    outside,
    inside,
    command: ['ip', 'netns', 'exec', name],
    down: () => ip('link', 'set', near, 'down'),
    up: () => ip('link', 'set', near, 'up'),
  }
}
