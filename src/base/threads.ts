import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import { move, Piscina, transferableSymbol, valueSymbol } from 'piscina'
import { CoolerError, type ErrorCode } from './errors.ts'

/** Result that a thread sends back. A CoolerError is sent as plain data, because copying an Error loses its code. */
type Outcome<Output> = { value: Output } | { failure: { code: ErrorCode; message: string } }

/** A task that a thread file exports. Its one input and one output are copied between threads. */
export type ThreadTask<Input, Output> = (input: Input) => Promise<Outcome<Output>>

/** Makes a task from a function. A CoolerError that the function throws reaches the caller as a CoolerError. */
export function threadTask<Input, Output>(work: (input: Input) => Promise<Output> | Output): ThreadTask<Input, Output> {
  return async (input) => {
    try {
      const value = await work(input)
      return moved(value)
    } catch (error) {
      if (!(error instanceof CoolerError)) throw asNativeError(error)
      return { failure: { code: error.code, message: error.message } }
    }
  }
}

/** Converts an error to a native Error. Errors of native modules would lose their message between threads. */
function asNativeError(error: unknown): Error {
  if (types.isNativeError(error)) return error
  const { message = String(error), stack } = error as { message?: string; stack?: string }
  return Object.assign(new Error(message), stack === undefined ? {} : { stack })
}

/** Wraps a value as an outcome. Large answers, `{ bytes }`, are moved instead of copied, to spare the event loop. */
function moved<Output>(value: Output): Outcome<Output> {
  const outcome: Outcome<Output> = { value }
  const bytes = (value as { bytes?: unknown } | undefined)?.bytes
  // If the bytes are part of a larger buffer, the rest of it may still be in use.
  if (!(bytes instanceof Uint8Array) || bytes.byteLength !== bytes.buffer.byteLength) return outcome
  return move({
    [transferableSymbol]: bytes.buffer,
    [valueSymbol]: outcome,
  }) as unknown as Outcome<Output>
}

/**
 * Linux nice values of threads. When the CPU is short, a thread at 5 gets a third of the event loop's time and a thread
 * at 10 a tenth. Higher values would hurt, because others wait for locks that these threads hold.
 */
const NICE = { landing: 5, computing: 10 } as const

/**
 * Lowers the priority of the calling thread according to its work, so that bulk work does not delay small requests.
 * Costs nothing while the CPU is idle.
 */
export function stepBack(as: keyof typeof NICE): void {
  // Only on Linux does this affect the calling thread alone; elsewhere it affects the whole process.
  if (process.platform !== 'linux') return
  // A process started with a higher nice value keeps it, because lowering the value needs privileges.
  if (getPriority(0) < NICE[as]) setPriority(0, NICE[as])
}

type InputOf<Task> = Task extends ThreadTask<infer Input, unknown> ? Input : never
type OutputOf<Task> = Task extends ThreadTask<never, infer Output> ? Output : never

/** Threads that run the tasks of one file. */
export interface Threads<Tasks> {
  /**
   * Runs a task. Memory in `moved` is given to the thread instead of copied, and is empty here afterwards. Rejects with
   * the error of the task, or CoolerError `overloaded` if its thread died; the thread is replaced.
   */
  run<Name extends keyof Tasks & string>(
    name: Name,
    input: InputOf<Tasks[Name]>,
    moved?: readonly ArrayBuffer[],
  ): Promise<OutputOf<Tasks[Name]>>
  /** Waits for unfinished tasks, stops the threads, and then resolves. */
  close(): Promise<void>
}

/**
 * Room for young objects of a thread, MiB. V8 would take 48; with a quarter, the threads of a large load and rollup take
 * 100 MB less together, and 3 % more time.
 */
const YOUNG_MB = 12

/**
 * Newer versions of Node.js load modules by `require` as well, which Piscina tries first. A thread that is ended in the
 * middle of that ends the whole process (seen with 20.20: "IsGraphAsync must be used on an instantiated module").
 */
const LOADS_BY_REQUIRE = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')

export interface ThreadOptions {
  /** Most threads. They start on demand and then stay. */
  threads: number
  /** Most concurrent tasks of one thread. More than one helps only tasks that wait for each other's commits. */
  tasksPerThread?: number
  /** Passed to every thread as `workerData`. */
  data: unknown
  /** Heap limit of one thread in MiB; by default that of Node.js. */
  heapMb?: number
  /** Called when a thread died, because it ran out of memory or failed outside any task. */
  onDeath?: (error: unknown) => void
}

/**
 * Makes a pool of threads that run a compiled file. Threads always run dist/: if the caller passes a source file, as in
 * tests, its compiled file is run.
 */
export function startThreads<Tasks>(
  file: URL,
  { threads, tasksPerThread = 1, data, heapMb, onDeath = () => {} }: ThreadOptions,
): Threads<Tasks> {
  const pool = new Piscina({
    filename: compiled(fileURLToPath(file)),
    minThreads: 0,
    maxThreads: threads,
    concurrentTasksPerWorker: tasksPerThread,
    idleTimeout: Number.POSITIVE_INFINITY,
    workerData: data,
    // Atomics would block a thread until its next task, but it also has timers and messages to handle.
    atomics: 'disabled',
    recordTiming: false,
    ...(LOADS_BY_REQUIRE ? { execArgv: ['--no-experimental-require-module'] } : {}),
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      ...(heapMb === undefined ? {} : { maxOldGenerationSizeMb: heapMb }),
    },
    // Unfinished tasks are finished on close, however long they take.
    closeTimeout: 2 ** 31 - 1,
  })
  // A thread died outside any task. The next task starts a new thread.
  pool.on('error', onDeath)
  const isDying = watchDeaths(pool)
  return {
    async run(name, input, moved = []) {
      const outcome: Outcome<never> = await pool.run(input, { name, transferList: [...moved] }).catch((error) => {
        if (!isDying()) throw error
        onDeath(error)
        replaceThread(pool, name)
        throw new CoolerError('overloaded', 'the thread at work on this ended (out of memory?): try again', {
          cause: error,
        })
      })
      if ('failure' in outcome) throw new CoolerError(outcome.failure.code, outcome.failure.message)
      return outcome.value
    },
    close: () => pool.close(),
  }
}

/** Returns a function that tells whether a task just failed because its thread died, not by an error of its own. */
function watchDeaths(pool: Piscina): () => boolean {
  let dying = false
  // Piscina first removes a dead thread, then rejects its tasks in the same turn of the event loop.
  pool.on('workerDestroy', () => {
    dying = true
    setImmediate(() => {
      dying = false
    })
  })
  return () => dying
}

/** Adds a task, because Piscina starts threads only then. Without it, tasks queued for the dead thread never run. */
function replaceThread(pool: Piscina, name: string): void {
  if (pool.queueSize === 0) return
  const added = new AbortController()
  pool.run(undefined, { name, signal: added.signal }).catch(() => {}) // The task is aborted; its thread stays.
  added.abort()
}

function compiled(path: string): string {
  const built = path.replace(/\.ts$/, '.js')
  return built.includes('/dist/') ? built : built.replace(/\/(src|jobs)\/(?!.*\/(src|jobs)\/)/, '/dist/$1/')
}
