import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/store/open-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { whenFinished } from './when-finished.ts'

/** Registers what is to be done at an end: that of the test, or a later one. */
export type OnEnd = (end: () => void | Promise<void>) => void

/** An empty folder that is removed when the test ends. */
export function temporaryFolder(onEnd: OnEnd = whenFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-test-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A fresh store on disk, closed and removed when the test ends. */
export function temporaryStore(rejectsKept = 1000): Store & { file: string } {
  const file = join(temporaryFolder(), 'store.sqlite')
  const store = openSqliteStore({ location: file, rejectsKept })
  whenFinished(() => store.close())
  return { ...store, file }
}
