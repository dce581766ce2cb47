import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { post } from '../cli/backup-fixture.ts'
import { cooler } from '../cli/cooler.ts'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'

interface Place {
  folder: string
  /** Makes it read-only, or writable again. */
  lock(isLocked: boolean): void
}

/** A file system of its own where this process may mount one; else a folder without the right to write. */
function lockablePlace(): Place | null {
  const folder = temporaryFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' }).status === 0) {
    onTestFinished(() => uncover(folder))
    return { folder, lock: (isLocked) => (isLocked ? coverReadOnly(folder) : uncover(folder)) }
  }
  if (process.getuid?.() === 0) return null
  onTestFinished(() => chmodSync(folder, 0o700))
  return { folder, lock: (isLocked) => chmodSync(folder, isLocked ? 0o500 : 0o700) }
}

/** A file system that something writes cannot become read-only; the same folder can be covered by a read-only view of it. */
function coverReadOnly(folder: string): void {
  execFileSync('mount', ['--bind', folder, folder])
  execFileSync('mount', ['-o', 'remount,bind,ro', folder])
}

const uncover = (folder: string): void => void execFileSync('umount', ['--lazy', folder])

test('a store that cannot be written fails the start with a sentence, and makes a running service not ready', async ({
  skip,
}) => {
  const place = lockablePlace()
  if (place === null) return skip('root that may not mount')
  const { folder, lock } = place
  const program = cooler({ COOLER_STORE: join(folder, 'store.sqlite') })
  lock(true)
  const sentence = /^cooler: the store cannot be written \((EROFS|EACCES): [^/]*\): make room, or see to its disk/
  for (const args of [['start'], ['ingest', '-']]) {
    expect(await program.run(args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) })
  }
  expect(readdirSync(folder)).toEqual([])
  lock(false)
  const { url, child, outcome } = await program.service(['start'])
  expect(await post(url, [visitors('a', 1)])).toBe(202)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  lock(true)
  await eventually(async () => ((await (await fetch(`${url}/readyz`)).json()) as { code?: string }).code).toBe(
    'store-full',
  )
  lock(false)
  await eventually(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGTERM')
  await outcome
  lock(true)
  expect((await program.run(['start'])).stderr).toMatch(sentence)
  lock(false)
})
