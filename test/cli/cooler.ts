import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Config, readConfig } from '../../src/config/config.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url))

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** When it has ended. */
  outcome: Promise<Outcome>
}

export interface RunOptions {
  input?: string | Buffer
  env?: NodeJS.ProcessEnv
  /** Of Node.js itself. */
  nodeOptions?: readonly string[]
}

export interface Cooler {
  /** The store that the commands work on. */
  store: string
  /** The settings of the commands. */
  config(): Config
  /** Runs the built program to its end; `input` is its standard input. */
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>
  /** Runs it and parses what it printed, one JSON value a line; it must succeed. */
  json(...args: string[]): Promise<Record<string, unknown>[]>
  /** Starts it, within another command if one is given; ended at the latest when the test ends. */
  spawn(args: readonly string[], env?: NodeJS.ProcessEnv, within?: readonly string[]): Running
  /** Starts a service on a free port; resolves when it listens. */
  service(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Running & { url: string }>
}

/** The command line on a store of its own, without any setting of this process's environment; by default as built. */
export function cooler(settings: NodeJS.ProcessEnv = {}, program = PROGRAM): Cooler {
  const folder = temporaryFolder()
  const store = join(folder, 'store.sqlite')
  const own = { PATH: process.env.PATH, COOLER_STORE: store, COOLER_RAW_RETENTION_DAYS: '0', COOLER_THREADS: '1' }

  const start = (
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    within: readonly string[] = [],
    nodeOptions: readonly string[] = [],
  ): Running => {
    const [file, ...command] = [...within, process.execPath, ...nodeOptions, program, ...args]
    const child = spawn(file, command, { env: { ...own, ...settings, ...env }, cwd: folder })
    const text = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text.stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      text.stderr += chunk
    })
    const outcome = once(child, 'close').then(([code]) => ({ code, ...text }))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await outcome
    })
    return { child, stdout: () => text.stdout, stderr: () => text.stderr, outcome }
  }

  const run: Cooler['run'] = (args, options = {}) => {
    const { child, outcome } = start(args, options.env, [], options.nodeOptions)
    child.stdin?.on('error', () => {}) // A command that has failed does not read on.
    child.stdin?.end(options.input ?? '')
    return outcome
  }

  return {
    store,
    config: () => readConfig({ ...own, ...settings }, {}),
    run,
    spawn: start,
    async json(...args) {
      const { code, stdout, stderr } = await run(args)
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    },
    async service(args, env) {
      const running = start(args, { PORT: '0', COOLER_REFRESH_MINUTES: '60', ...env })
      let ended = false
      void running.outcome.then(() => {
        ended = true
      })
      await eventually(() => (ended ? 'ended' : running.stderr())).toMatch(/"msg":"started"|ended/)
      const line = running
        .stderr()
        .split('\n')
        .find((text) => text.includes('"msg":"started"'))
      if (line === undefined) throw new Error(`${args.join(' ')} did not start: ${running.stderr()}`)
      return { ...running, url: JSON.parse(line).url }
    },
  }
}
