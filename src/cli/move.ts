import { resolve } from 'node:path'
import type { Command } from 'commander'
import { CoolerError } from '../base/errors.ts'
import { readConfig } from '../config/config.ts'
import { type Moved, moveStore } from '../move/move.ts'
import { storeOptions } from '../service/pipeline.ts'
import {
  filesOfStore,
  openMoveTarget,
  openStoreReader,
  type Store,
  type StoreOptions,
  setMoveState,
  shownLocation,
} from '../store/open-store.ts'
import { commandContext, UsageError } from './context.ts'
import { createProgress } from './output/progress.ts'

interface Options {
  finish?: boolean
  reopen?: boolean
  json?: boolean
}

/** Adds the command `move`. */
export function moveCommand(program: Command): void {
  program
    .command('move')
    .description('copy the store (COOLER_STORE) to another file or PostgreSQL database, while services use it')
    .argument('[target]', 'a new file, or the postgres:// URL of an empty database; or those of a move that goes on')
    .option('--finish', 'stop all writing to the store, copy what is left, and take the target into use')
    .option('--reopen', 'take a store into use again that has been moved')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      `
The store and the target may be of either engine. Everything copied is read back and compared. A move may be stopped at any
time. Run again, it copies what is missing or has changed, and prints how many events have landed since. At the end stop the
services, run it once more with --finish, and start them on the target.

Until then nothing else can open the target; afterwards nothing can write to the old store. A service that was forgotten
answers 503, so its producers keep their events. To give up a move after --finish, run cooler move --reopen on the old store:
what the new one has taken since is not in it.

Examples:
  COOLER_STORE=data/cooler.sqlite cooler move postgres://cooler@db:5432/cooler
  COOLER_STORE=data/cooler.sqlite cooler move postgres://cooler@db:5432/cooler --finish
`,
    )
    .action(async (target: string | undefined, options: Options) => {
      const { config } = commandContext()
      const source = storeOptions(config)
      if (options.reopen) await reopen(source, target, options)
      else await move(source, targetOf(target, source), options)
    })
}

/** Returns the options of the target; its location is checked as COOLER_STORE is. @throws UsageError, CoolerError */
function targetOf(target: string | undefined, source: StoreOptions): StoreOptions {
  if (target === undefined) throw new UsageError('name the target: a new file, or the URL of an empty database')
  const location = locationOf(target)
  if (location === source.location || filesOfStore(location).some((file) => resolve(file) === resolve(source.location)))
    throw new UsageError('the target is the store that COOLER_STORE names')
  return { ...source, location }
}

function locationOf(target: string): string {
  try {
    return readConfig({ COOLER_STORE: target }).store
  } catch (error) {
    throw new UsageError((error as Error).message.replace('COOLER_STORE', 'the target'), { cause: error })
  }
}

async function reopen(source: StoreOptions, target: string | undefined, { finish, json }: Options): Promise<void> {
  if (target !== undefined || finish) throw new UsageError('--reopen takes neither a target nor --finish')
  await (await openStoreReader(source)).close() // It exists, and is no unfinished target.
  await setMoveState(source, 'in-use')
  console.log(
    json ? JSON.stringify({ reopened: source.location }) : `${shownLocation(source.location)} is in use again`,
  )
}

async function move(from: StoreOptions, to: StoreOptions, { finish = false, json }: Options): Promise<void> {
  const source = await openStoreReader(from)
  try {
    const isClosed = (await source.moving.state()) === 'moved'
    if (isClosed && (await isInUse(to))) {
      console.log(json ? JSON.stringify({ isFinished: true }) : finished(to))
      return
    }
    const moved = await moveTo(source, from, to, { finish, isClosed })
    console.log(json ? JSON.stringify(moved) : describe(moved, to))
  } finally {
    await source.close()
  }
}

/** Tells whether a store exists and may be used: then an earlier run has finished the move to it. */
async function isInUse(options: StoreOptions): Promise<boolean> {
  try {
    await (await openStoreReader(options)).close()
    return true
  } catch (error) {
    if (error instanceof CoolerError && ['not-found', 'bad-configuration'].includes(error.code)) return false
    throw error
  }
}

async function moveTo(
  source: Store,
  from: StoreOptions,
  to: StoreOptions,
  { finish, isClosed }: { finish: boolean; isClosed: boolean },
): Promise<Moved> {
  const target = await openMoveTarget(to)
  const progress = createProgress({ label: 'move', unit: 'events' })
  try {
    if (isClosed && !finish) await setMoveState(from, 'in-use')
    return await moveStore(source, target, {
      now: source.clock.now(),
      close: finish ? { stop: () => setMoveState(from, 'moved'), goOn: () => setMoveState(from, 'in-use') } : null,
      onProgress: ({ events }) => progress.update(events),
    })
  } finally {
    progress.finish()
    await target.close()
  }
}

const count = (value: number, of: string): string => `${value.toLocaleString('en')} ${of}${value === 1 ? '' : 's'}`

function describe({ copied, devices, landed, behind, isFinished }: Moved, to: StoreOptions): string {
  const all = `${count(devices, 'device')} and ${count(landed, 'landed event')} are in the target and were compared`
  const run = `this run copied ${count(copied.events, 'event')} and ${count(copied.rollups, 'device-day')}`
  const next = isFinished ? finished(to) : `${behindText(behind)}; ${NEXT}`
  return `${all}; ${run}\n${next}`
}

const finished = ({ location }: StoreOptions): string =>
  `the move is finished: start the services with COOLER_STORE=${shownLocation(location)}`

const NEXT = 'next: stop the services, run the command once more with --finish, and start them on the target'

function behindText({ landed, erased }: Moved['behind']): string {
  const parts = [
    ...(landed > 0 ? [`${count(landed, 'event')} landed`] : []),
    ...(erased > 0 ? [`${count(erased, 'event')} erased`] : []),
  ]
  return parts.length === 0 ? 'nothing has landed since' : `since then: ${parts.join(', ')}`
}
