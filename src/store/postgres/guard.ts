import { CoolerError } from '../../base/errors.ts'
import { millisecondsInDay } from '../../base/time.ts'
import { requireStillInUse } from '../moving.ts'
import { moveStateOf } from './move-state.ts'
import { migrations, refuseNewer } from './schema.ts'
import type { Session } from './session.ts'

/** What a write transaction must know of the store as a whole. */
export interface Shared {
  /** Epoch ms; see ArchiveReads.purgedBefore. */
  purgedBefore: number
  /** How many devices have been erased; their ids may have other numbers since. */
  devicesErased: number
  /** Identifies the running server: another one, or the same one after a restart, has another text. */
  server: string
}

const GUARD =
  'SELECT schema, oldest_writer AS "oldestWriter", purged_before AS "purgedBefore", devices_erased AS "devicesErased",' +
  ' move_state AS "moveState", pg_postmaster_start_time()::text AS server' +
  ' FROM guard WHERE id = 1'

type GuardRow = Shared & { schema: number; oldestWriter: number; moveState: number }

/** Refuses to write to a store of a newer program, or to one that was moved. */
function refuseUnwritable(guard: GuardRow): void {
  refuseNewer(guard)
  requireStillInUse(moveStateOf(guard.moveState))
}

/**
 * SQL that begins what must not happen while days or devices are deleted: reads the guard, and keeps its row from being
 * changed until the transaction ends.
 */
export const SHARE_GUARD = `${GUARD} FOR SHARE`

/** Returns what SHARE_GUARD has read. @throws CoolerError `store-too-new`, `store-gone` */
export function sharedOf([row]: readonly object[]): Shared {
  const guard = row as GuardRow
  refuseUnwritable(guard)
  return guard
}

/** Runs SHARE_GUARD. @throws CoolerError `store-too-new`, `store-gone` */
export const shareGuard = async (session: Session): Promise<Shared> => sharedOf(await session.rows(SHARE_GUARD))

/** Refuses to write to a store that a newer program has changed. @throws CoolerError `store-too-new`, `store-gone` */
export async function refuseNewerNow(session: Session): Promise<void> {
  const [guard] = await session.rows<GuardRow>(GUARD)
  if (guard === undefined) throw new CoolerError('not-found', 'the database has no store any more')
  refuseUnwritable(guard)
}

/**
 * Locks the guard against all who share it, until the transaction ends. A lock of the row alone could wait for ever
 * where landings follow each other without a gap; those who come after a waiting lock of the table wait behind it.
 */
export async function lockGuard(session: Session): Promise<Shared> {
  await session.run('LOCK TABLE guard IN EXCLUSIVE MODE')
  const [guard] = await session.rows<GuardRow>(GUARD)
  refuseUnwritable(guard)
  return guard
}

/** SQL for the first UTC day that has not been purged. */
export const FIRST_KEPT_DAY = `(SELECT purged_before / ${millisecondsInDay} FROM guard WHERE id = 1)`

/** The newest schema that this program knows. */
export const newestSchema = (): number => migrations().length
