import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Random } from '../helpers/random.ts'
import type { Arena, Supervised } from './arena.ts'

/** Longer than a process takes to start: then all that run have their store open. */
const START_MS = 4000
const RESCUE_MS = 60_000
const MOST_TRIES = 20

interface Target {
  file: string
  processes: readonly Supervised[]
}

function pickStore({ stores, workers, api, direct, bridges }: Arena, random: Random): Target {
  // Those of either store: to stop the others, too, does no harm.
  const writers = bridges.map(({ bridge }) => bridge)
  return random.next() < 0.5
    ? { file: stores.queue.file, processes: [...workers, api, ...writers] }
    : { file: stores.direct.file, processes: [direct, ...writers] }
}

/** Nothing is killed or started while a store is away: a process that starts would make a new one. */
async function held(arena: Arena, work: () => Promise<void>): Promise<void> {
  const release = arena.hold()
  try {
    await sleep(START_MS)
    await work()
  } finally {
    release()
  }
}

export const moveStore = (arena: Arena, random: Random): Promise<void> =>
  held(arena, async () => {
    const { file } = pickStore(arena, random)
    renameSync(file, `${file}.away`)
    await sleep(random.between(500, 5000))
    if (existsSync(file)) throw new Error(`${file} was made anew while it was away`)
    renameSync(`${file}.away`, file)
    await sleep(START_MS) // A rescue that is under way ends.
    for (const rescued of rescuedFiles(file)) rmSync(rescued)
  })

/** What a service saves of it takes its place again, as its log says. */
export const removeStore = (arena: Arena, random: Random): Promise<void> =>
  held(arena, async () => {
    const { file, processes } = pickStore(arena, random)
    const running = processes.filter((one) => one.isRunning())
    if (running.length === 0) return // Nobody would have it open.
    for (const stale of rescuedFiles(file)) rmSync(stale)
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    const until = Date.now() + RESCUE_MS
    while (rescuedFiles(file).length === 0) {
      if (Date.now() > until) throw new Error([`nobody has saved ${file}`, ...stateOf(file, running)].join('\n'))
      await sleep(100)
    }
    for (const one of running) one.kill('SIGTERM')
    await Promise.all(running.map((one) => one.ended()))
    const rescued = rescuedFiles(file)
    if (rescued.length !== 1) throw new Error(`saved ${rescued.length} times: ${rescued.join(', ')}`)
    await untilDone(arena, file, ['restore', '--force', rescued[0]])
    rmSync(rescued[0])
  })

/** What can be told of a store that nobody saves: the files of its folder, and the processes that have it open. */
const stateOf = (file: string, processes: readonly Supervised[]): string[] => [
  ...readdirSync(dirname(file)).map((name) => `${name}: ${statSync(join(dirname(file), name)).size} bytes`),
  ...processes.map(({ name, starts, isRunning, lastWords }) => {
    const state = isRunning() ? 'running' : 'ended'
    return `${name}, start ${starts()}, ${state}: ${lastWords()}`
  }),
]

const rescuedFiles = (file: string): string[] =>
  readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}.rescued-`))
    .map((name) => join(dirname(file), name))

/** Flips bits of rollups, and has them computed again. */
export async function damageStore(arena: Arena, random: Random): Promise<void> {
  const { file } = pickStore(arena, random)
  if (!flipBits(file, random)) return
  await sleep(random.between(0, 2000)) // Rollups and reports meet the damage.
  await untilDone(arena, file, ['verify', '--fix', '--limit', '0'])
}

/** Tries again while the store is busy or its disk full. */
async function untilDone({ program }: Arena, file: string, args: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { code, stderr } = await program.run(args, { env: { COOLER_STORE: file } })
    if (code === 0) return
    if (tries === MOST_TRIES) throw new Error(`${args.join(' ')}: ${stderr}`)
    await sleep(500)
  }
}

/** False where somebody else keeps the store locked. */
function flipBits(file: string, random: Random): boolean {
  const database = new Database(file, { timeout: 2000, fileMustExist: true })
  try {
    database.exec('BEGIN IMMEDIATE')
    const select = database.prepare('SELECT rowid, body FROM rollup_block ORDER BY random() LIMIT 3')
    for (const { rowid, body } of select.all() as { rowid: number; body: Buffer }[]) {
      body[random.below(body.length)] ^= 1 << random.below(8)
      database.prepare('UPDATE rollup_block SET body = ? WHERE rowid = ?').run(body, rowid)
    }
    database.exec('COMMIT')
    return true
  } catch {
    return false
  } finally {
    database.close()
  }
}
