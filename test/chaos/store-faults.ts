import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Random } from '../helpers/random.ts'
import type { Arena } from './arena.ts'
import type { Supervised } from './supervisor.ts'

/** Longer than a process takes from opening its store to watching it, and to notice that it is back. */
const START_MS = 4000
/** Longer than a process takes to open its store, or to save it, on a busy machine. */
const PATIENCE_MS = 60_000
const MOST_TRIES = 20

const pickStore = ({ stores }: Arena, random: Random): string =>
  random.next() < 0.5 ? stores.queue.file : stores.direct.file

/** Resolves to the processes that have a store open, when none is about to open it. */
async function holdersOf({ workers, api, direct, bridges }: Arena, file: string): Promise<Supervised[]> {
  const all = [...workers, api, direct, ...bridges.map(({ bridge }) => bridge)].filter(({ store }) => store === file)
  const areSettled = (): boolean => all.every((one) => one.hasOpen(file) || !one.isRunning())
  // A process looks at what the file is before it opens it as a store: it must have it open for a while.
  do {
    await until(`each of its processes has opened ${file}`, all, areSettled)
    await sleep(START_MS)
  } while (!areSettled())
  return all.filter((one) => one.hasOpen(file))
}

async function until(what: string, processes: readonly Supervised[], holds: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !holds(); await sleep(100))
    if (Date.now() > end) throw new Error([`not ${what}`, ...processes.flatMap(stateOf)].join('\n'))
}

/** Nothing is killed or started while a store is away: a process that starts would make a new one. */
async function held(arena: Arena, work: () => Promise<void>): Promise<void> {
  const release = arena.hold()
  try {
    await work()
  } finally {
    release()
  }
}

export const moveStore = (arena: Arena, random: Random): Promise<void> =>
  held(arena, async () => {
    const file = pickStore(arena, random)
    const holders = await holdersOf(arena, file)
    renameSync(file, `${file}.away`)
    await sleep(random.between(500, 5000))
    if (existsSync(file)) throw new Error(`${file} was made anew while it was away`)
    renameSync(`${file}.away`, file)
    await sleep(START_MS)
    await until('nobody saves it any more', holders, () => !besides(file, '.saving-').length)
    for (const rescued of rescuedFiles(file)) rmSync(rescued)
  })

/** What a service saves of it takes its place again, as its log says. */
export const removeStore = (arena: Arena, random: Random): Promise<void> =>
  held(arena, async () => {
    const file = pickStore(arena, random)
    const holders = await holdersOf(arena, file)
    if (holders.length === 0) return
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    await until(`somebody has saved ${file}`, holders, () => rescuedFiles(file).length > 0)
    for (const one of holders) one.kill('SIGTERM')
    await Promise.all(holders.map((one) => one.ended()))
    const rescued = rescuedFiles(file)
    if (rescued.length !== 1) throw new Error(`saved ${rescued.length} times: ${rescued.join(', ')}`)
    await untilDone(arena, file, ['restore', '--force', rescued[0]])
    rmSync(rescued[0])
  })

/** What can be told of a process: the files beside its store, and its last words. */
const stateOf = ({ name, store, starts, isRunning, lastWords }: Supervised): string[] => [
  `${name}, start ${starts()}, ${isRunning() ? 'running' : 'ended'}: ${lastWords()}`,
  ...(store === null ? [] : besides(store, '')).map((path) => `${path}: ${statSync(path).size} bytes`),
]

/** The paths of a store's folder that begin as the store's and go on like this. */
const besides = (file: string, end: string): string[] =>
  readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}${end}`))
    .map((name) => join(dirname(file), name))

const rescuedFiles = (file: string): string[] => besides(file, '.rescued-')

/** Flips bits of rollups, and has them computed again. */
export async function damageStore(arena: Arena, random: Random): Promise<void> {
  const file = pickStore(arena, random)
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
