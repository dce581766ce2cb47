import { MOVE_STATES, type MoveState, requireUse } from '../moving.ts'
import type { Postgres } from './database.ts'
import type { Session } from './session.ts'

/** Returns the state that the column `move_state` holds. */
export const moveStateOf = (stored: number): MoveState => MOVE_STATES[stored]

/** Returns whether a store may be used. */
export async function readMoveState(session: Session): Promise<MoveState> {
  const [{ state }] = await session.rows<{ state: number }>('SELECT move_state AS state FROM guard WHERE id = 1')
  return moveStateOf(state)
}

/** Sets whether a store may be used, and the run that writes an unfinished one. Call it within a transaction. */
export async function writeMoveState(session: Session, state: MoveState, run = 0): Promise<void> {
  await session.run('UPDATE guard SET move_state = $1, move_run = $2 WHERE id = 1', [MOVE_STATES.indexOf(state), run])
}

/** Sets whether a store may be used, once all who have read that it may be used have committed. */
export async function setMoveState(database: Postgres, state: Exclude<MoveState, 'unfinished'>): Promise<void> {
  await database.transaction(async (session) => {
    await session.run('LOCK TABLE guard IN ACCESS EXCLUSIVE MODE')
    requireUse(await readMoveState(session), 'read')
    await writeMoveState(session, state)
  })
}
