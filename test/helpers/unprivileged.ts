import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The options of `spawn` that say which user runs a program; empty for the user of this process. */
export interface ProgramUser {
  uid?: number
  gid?: number
}

let known: ProgramUser | undefined

/** The user who runs PostgreSQL and PgBouncer. Both refuse to run as root, so root runs them as user `postgres`. */
export function unprivilegedUser(): ProgramUser {
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  known ??= process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  return known
}

/** Makes an empty folder that belongs to that user: in `parent` if the user can enter it, otherwise in /tmp. */
export function unprivilegedFolder(prefix: string, parent = tmpdir()): string {
  const user = unprivilegedUser()
  for (const place of [parent, '/tmp']) {
    const folder = mkdtempSync(join(place, prefix))
    if (user.uid === undefined || user.gid === undefined) return folder
    chownSync(folder, user.uid, user.gid)
    if (spawnSync('test', ['-x', folder], user).status === 0) return folder
    rmSync(folder, { recursive: true })
  }
  throw new Error(`the user who runs PostgreSQL can enter neither ${parent} nor /tmp`)
}
