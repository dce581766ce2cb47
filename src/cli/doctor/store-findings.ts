import { accessSync, constants, existsSync } from 'node:fs'
import { CoolerError } from '../../base/errors.ts'
import { type Finding, fault, ok } from '../../base/finding.ts'
import {
  type CheckDepth,
  findStoreDamage,
  inspectStore,
  type StoreDisk,
  type StoreFacts,
  storeDisk,
} from '../../store/open-store.ts'

const MEBIBYTE = 2 ** 20
const LITTLE_ROOM_BYTES = 1024 * MEBIBYTE
const NO_ROOM_BYTES = 100 * MEBIBYTE

export interface StoreCheck {
  findings: Finding[]
  /** Whether the store exists, is undamaged and has the schema that this program reads. */
  isReadable: boolean
}

/** Checks the file of the store, its folder and its disk. Changes nothing: a store is neither created nor migrated. */
export function checkStore(file: string, depth: CheckDepth): StoreCheck {
  const disk = storeDisk(file)
  const place = [rightsFinding(file, disk), ...diskFindings(disk)]
  try {
    const facts = inspectStore(file, depth)
    if (facts === null) {
      const message = `${file} is not there yet: the first service or command that writes makes it`
      return { findings: [ok('store', message), ...place], isReadable: false }
    }
    const { version, newestVersion, problems } = facts
    return {
      findings: [versionFinding(file, facts), ...place, walFinding(facts), ...integrityFindings(facts, depth)],
      isReadable: version === newestVersion && problems.length === 0,
    }
  } catch (error) {
    if (!(error instanceof CoolerError)) throw error
    const advice =
      error.code === 'store-foreign' ? 'name another file in COOLER_STORE' : 'cooler restore puts a backup in its place'
    const finding = fault('store', 'failure', `${file}: ${error.message}`, advice)
    return { findings: [finding, ...place], isReadable: false }
  }
}

function versionFinding(file: string, { version, newestVersion, bytes, freeBytes }: StoreFacts): Finding {
  const check = 'store'
  const size = `${mebibytes(bytes)} MiB, of which ${mebibytes(freeBytes)} MiB free for what lands next`
  const message = `${file}: schema ${version}, ${size}`
  if (version > newestVersion) {
    const known = `this program knows schemas up to ${newestVersion}`
    return fault(check, 'failure', `${message}; ${known}`, 'use the newer program')
  }
  if (version === newestVersion) return ok(check, message)
  return fault(
    check,
    'warning',
    `${message}; the next start migrates it to ${newestVersion}, and older programs refuse it then`,
    'make a backup first (cooler backup)',
  )
}

function rightsFinding(file: string, { folder }: StoreDisk): Finding {
  const check = 'store rights'
  try {
    // The folder is checked too, because the write-ahead log is a file next to the store.
    for (const path of existsSync(file) ? [folder, file] : [folder]) accessSync(path, constants.R_OK | constants.W_OK)
    return ok(check, 'file and folder can be written')
  } catch (error) {
    return fault(check, 'failure', (error as Error).message, 'give the user of the service the right to write there')
  }
}

function diskFindings({ freeBytes, unfit }: StoreDisk): Finding[] {
  const room = `${mebibytes(freeBytes)} MiB free`
  const advice = 'make room before batches have to wait: a full disk loses nothing, but takes nothing either'
  const disk =
    freeBytes < LITTLE_ROOM_BYTES
      ? fault('store disk', freeBytes < NO_ROOM_BYTES ? 'failure' : 'warning', room, advice)
      : ok('store disk', room)
  if (unfit === null) return [disk]
  const kind = unfit.isLost
    ? fault('store file system', 'warning', `${unfit.name} is gone when the machine restarts`, 'use a disk')
    : fault('store file system', 'failure', `${unfit.name} does not lock files as SQLite needs it`, 'use a local disk')
  return [disk, kind]
}

/** Allows the log twice its limit, because a reader or two that stay for a while are harmless. */
function walFinding({ walBytes, walLimitBytes }: StoreFacts): Finding {
  const check = 'store log'
  const message = `${mebibytes(walBytes)} MiB in the write-ahead log`
  if (walBytes <= 2 * walLimitBytes) return ok(check, message)
  const advice = 'something has read one state of the store for long (a backup?): the log is cut when it has ended'
  return fault(check, 'warning', message, advice)
}

function integrityFindings({ problems }: StoreFacts, depth: CheckDepth): Finding[] {
  if (depth === 'none') return []
  const check = 'store integrity'
  if (problems.length === 0) return [ok(check, 'no damage found')]
  return [fault(check, 'failure', problems.join('; '), 'stop all services and restore a backup (cooler restore)')]
}

/** Checks every part of the store by its checksum; reads all of the store. */
export async function partsFinding(location: string): Promise<Finding> {
  const check = 'store parts'
  const { parts, damaged, first } = await findStoreDamage(location)
  if (damaged === 0) return ok(check, `no damage found in ${parts} parts`)
  const message = `${damaged} of ${parts} parts are damaged: ${first.join('; ')}`
  const advice =
    '`cooler verify --fix` computes again what the raw events give, and names the rest: for that, restore a backup'
  return fault(check, 'failure', message, advice)
}

/** Returns a number of bytes in MiB, for people. */
export const mebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(bytes < 10 * MEBIBYTE ? 1 : 0)
