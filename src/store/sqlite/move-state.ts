import { MOVE_STATES, type MoveState } from '../moving.ts'
import { prepared, type Sqlite } from './database.ts'

const STATE = 'move state'
const RUN = 'move run'

function read(database: Sqlite, name: string): number {
  const row = prepared(database, 'SELECT value FROM setting WHERE name = ?').get(name)
  return (row as { value: number } | undefined)?.value ?? 0
}

function write(database: Sqlite, name: string, value: number): void {
  const put = 'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
  if (value === 0) prepared(database, 'DELETE FROM setting WHERE name = ?').run(name)
  else prepared(database, put).run(name, value)
}

/** Returns whether a store may be used. */
export const readMoveState = (database: Sqlite): MoveState => MOVE_STATES[read(database, STATE)]

/** Sets whether a store may be used. Call it within a transaction. */
export const writeMoveState = (database: Sqlite, state: MoveState): void =>
  write(database, STATE, MOVE_STATES.indexOf(state))

/** Returns the number of the run that writes an unfinished store; 0 for none. */
export const readMoveRun = (database: Sqlite): number => read(database, RUN)

/** Sets the number of the run that writes an unfinished store. Call it within a transaction. */
export const writeMoveRun = (database: Sqlite, run: number): void => write(database, RUN, run)
