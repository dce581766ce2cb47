import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import { move, Piscina, transferableSymbol, valueSymbol } from 'piscina'
import { CoolerError, type ErrorCode } from './errors.ts'

/** What a thread sends back: an error of ours as plain data, since copying an Error loses its code. */
type Outcome<Output> = { value: Output } | { failure: { code: ErrorCode; message: string } }

/** An exported task of a thread file: one input, one output, both copied between threads. */
export type ThreadTask<Input, Output> = (input: Input) => Promise<Outcome<Output>>

/** Makes a task of a function, so that a CoolerError it throws reaches the caller as what it is. */
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

/** Errors of native modules are objects that lose their message on the way to another thread. */
function asNativeError(error: unknown): Error {
  if (types.isNativeError(error)) return error
  const { message = String(error), stack } = error as { message?: string; stack?: string }
  return Object.assign(new Error(message), stack === undefined ? {} : { stack })
}

/** The bytes of a large answer, `{ bytes }`, are not copied to the other thread, which is the event loop's, but moved. */
function moved<Output>(value: Output): Outcome<Output> {
  const outcome: Outcome<Output> = { value }
  const bytes = (value as { bytes?: unknown } | undefined)?.bytes
  // Where they are a part of a buffer, others may be in use.
  if (!(bytes instanceof Uint8Array) || bytes.byteLength !== bytes.buffer.byteLength) return outcome
  return move({
    [transferableSymbol]: bytes.buffer,
    [valueSymbol]: outcome,
  }) as unknown as Outcome<Output>
}

/**
 * How far threads step back behind the event loop, as nice values of Linux: at 5 they get a third of its time, at 10 a
 * tenth, where there is not enough for all. Not further: others wait for locks that they hold.
 */
const NICE = { landing: 5, computing: 10 } as const

/**
 * To be called by a thread of its own work: who asks for little shall not wait for those who do much. Nothing is lost
 * while nobody else wants the processor.
 */
export function stepBack(as: keyof typeof NICE): void {
  // Of the calling thread alone on Linux; elsewhere it would be of the whole process.
  if (process.platform !== 'linux') return
  // A process that was started behind others stays there: to come forward takes rights.
  if (getPriority(0) < NICE[as]) setPriority(0, NICE[as])
}

type InputOf<Task> = Task extends ThreadTask<infer Input, unknown> ? Input : never
type OutputOf<Task> = Task extends ThreadTask<never, infer Output> ? Output : never

/** Threads that run the tasks of one file. */
export interface Threads<Tasks> {
  /** Rejects with the task's error; with a CoolerError `overloaded` where its thread died, which is replaced. */
  run<Name extends keyof Tasks & string>(name: Name, input: InputOf<Tasks[Name]>): Promise<OutputOf<Tasks[Name]>>
  /** Resolves when running tasks have ended and the threads are gone. */
  close(): Promise<void>
}

export interface ThreadOptions {
  /** Most threads; they start when they are needed and stay. */
  threads: number
  /** Tasks that one thread may have under way: more than one only for tasks that wait for each other's commits. */
  tasksPerThread?: number
  /** Given to every thread as `workerData`. */
  data: unknown
  /** Most memory of one thread's heap in MiB; what Node.js gives it unless set. */
  heapMb?: number
  /** Told of a thread that died: out of memory, or of an error outside any task. */
  onDeath?: (error: unknown) => void
}

/**
 * A pool of threads that run a compiled file. Threads always run dist/: where the caller itself was loaded from source
 * (in tests), its file there is meant.
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
    // A thread waits for its own timers and messages, too, not for tasks alone.
    atomics: 'disabled',
    recordTiming: false,
    ...(heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
    // Unfinished tasks are finished on close, however long they take.
    closeTimeout: 2 ** 31 - 1,
  })
  // A thread that dies outside any task: the task that runs next gets a new one.
  pool.on('error', onDeath)
  const isDying = watchDeaths(pool)
  return {
    async run(name, input) {
      const outcome: Outcome<never> = await pool.run(input, { name }).catch((error) => {
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

/** Returns whether the error that a task has just been given is that of its thread's death, not one of its own. */
function watchDeaths(pool: Piscina): () => boolean {
  let dying = false
  // Piscina removes a dead thread first, and tells its tasks in the same turn of the event loop.
  pool.on('workerDestroy', () => {
    dying = true
    setImmediate(() => {
      dying = false
    })
  })
  return () => dying
}

/** Piscina starts threads only for tasks that are added: those that waited for the dead one would wait for ever. */
function replaceThread(pool: Piscina, name: string): void {
  if (pool.queueSize === 0) return
  const added = new AbortController()
  pool.run(undefined, { name, signal: added.signal }).catch(() => {}) // Aborted: the thread it started stays.
  added.abort()
}

function compiled(path: string): string {
  const built = path.replace(/\.ts$/, '.js')
  return built.includes('/dist/') ? built : built.replace(/\/(src|jobs)\/(?!.*\/(src|jobs)\/)/, '/dist/$1/')
}
