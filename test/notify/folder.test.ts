import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { folderSender } from '../../src/notify/senders/folder.ts'
import { eventually } from '../helpers/eventually.ts'
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { backupTo, fileOf, reportTo, sendingOf, testSending } from './sendings.ts'

const channel = { type: 'folder', path: 'reports/daily' } as const
const report = reportTo(channel)
const NAME = 'route-12-20261129.csv'
const OUTSIDE = { as: 'refused', error: expect.stringContaining('leads out of COOLER_DELIVERY_FOLDER') }
const HOUR_S = 3600

/** A base folder, a sender into it, and the names and contents that its folder has. */
function delivery(base = temporaryFolder()) {
  const folder = join(base, channel.path)
  const sender = folderSender(base)
  return {
    base,
    folder,
    send: (content: string | Buffer, name = NAME) => sender.send(channel, sendingOf(report, name, fileOf(content))),
    sender,
    names: () => readdirSync(folder).sort(),
    content: (name = NAME) => readFileSync(join(folder, name), 'utf8'),
  }
}

/** A file that takes long to copy and little to keep. */
function endlessFile(): string {
  const path = fileOf('')
  truncateSync(path, 3 * 2 ** 30)
  return path
}

const partialIn = (folder: string): string | undefined =>
  existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.partial')) : undefined

describe('a file into a folder', () => {
  test('arrives in a folder that is made for it; a repeat replaces it', async () => {
    const { send, sender, names, content } = delivery()
    for (const text of ['one', 'one', 'other']) {
      expect(await send(text)).toEqual({ as: 'sent' })
      expect([names(), content()]).toEqual([[NAME], text])
    }
    expect(await sender.send(channel, testSending(report))).toEqual({ as: 'sent' })
    expect(content('route-12-test.txt')).toContain('route-12')
  })

  test('has its name only when it is complete: one that is stopped half-way leaves nothing', async () => {
    const { sender, folder, names, send } = delivery()
    await send('before')
    const stop = new AbortController()
    const sending = sender.send(channel, sendingOf(report, NAME, endlessFile(), stop.signal))
    await eventually(() => partialIn(folder)).toBeDefined()
    stop.abort()
    expect(await sending).toEqual({ as: 'failed', error: expect.stringContaining('the delivery was stopped') })
    expect(names()).toEqual([NAME])
  })

  test('whose process is killed half-way leaves a partial one, which a later delivery removes', async () => {
    const { base, folder, names, send, content } = delivery()
    const program = fileURLToPath(new URL('../../dist/src/notify/senders/folder.js', import.meta.url))
    const given = JSON.stringify([channel, { ...sendingOf(report, NAME, endlessFile()), signal: undefined }])
    const script = `import(${JSON.stringify(program)}).then(({ folderSender }) =>
      folderSender(${JSON.stringify(base)}).send(...${given}))`
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
    await eventually(() => partialIn(folder)).toBeDefined()
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
    const [partial, ...others] = names()
    expect(others).toEqual([])
    // Another sender may be writing it: it stays until nobody has for an hour.
    await send('whole')
    expect(names()).toEqual([partial, NAME])
    writeFileSync(join(folder, '.mine.partial'), '')
    const before = Date.now() / 1000 - HOUR_S - 60
    for (const name of [partial, '.mine.partial']) utimesSync(join(folder, name), before, before)
    await send('whole')
    expect([names(), content()]).toEqual([['.mine.partial', NAME], 'whole'])
  })

  test('does not follow links that lead out of the base folder', async () => {
    const { base, send } = delivery()
    const outside = temporaryFolder()
    symlinkSync(outside, join(base, 'reports'))
    expect(await send('one')).toEqual(OUTSIDE)
    expect(readdirSync(outside).filter((name) => name === NAME)).toEqual([])
    expect(existsSync(join(outside, 'daily', NAME))).toBe(false)
    const near = `${base}-near`
    mkdirSync(near)
    const second = delivery()
    symlinkSync(near, join(second.base, 'reports'))
    expect(await second.send('one')).toEqual(OUTSIDE)
  })

  test('follows a link within the base folder, and the base folder may be one', async () => {
    const real = temporaryFolder()
    const base = join(temporaryFolder(), 'base')
    symlinkSync(real, base)
    mkdirSync(join(real, 'elsewhere'))
    symlinkSync(join(realpathSync(real), 'elsewhere'), join(real, 'reports'))
    const { send } = delivery(base)
    expect(await send('one')).toEqual({ as: 'sent' })
    expect(readFileSync(join(real, 'elsewhere', 'daily', NAME), 'utf8')).toBe('one')
  })

  test('replaces a link of its name, and not the file that the link leads to', async () => {
    const { folder, send, content } = delivery()
    const precious = fileOf('precious')
    mkdirSync(folder, { recursive: true })
    symlinkSync(precious, join(folder, NAME))
    expect(await send('one')).toEqual({ as: 'sent' })
    expect([content(), readFileSync(precious, 'utf8')]).toEqual(['one', 'precious'])
  })

  test('is refused where a part of the path is a file, and fails where the base folder or the file is not there', async () => {
    const { base, send, sender } = delivery()
    writeFileSync(join(base, 'reports'), '')
    expect(await send('one')).toMatchObject({ as: 'refused' })
    const away = delivery(join(base, 'away'))
    expect(await away.send('one')).toEqual({ as: 'failed', error: expect.stringMatching(/^COOLER_DELIVERY_FOLDER, /) })
    expect(existsSync(away.base)).toBe(false)
    const sending = { ...sendingOf(report, NAME, fileOf('one')), file: { path: '/away', bytes: 1 } }
    const gone = await sender.send({ ...channel, path: 'other' }, sending)
    expect(gone).toMatchObject({ as: 'failed', error: expect.stringContaining('is not there') })
    expect(readdirSync(join(base, 'other'))).toEqual([])
  })

  test.skipIf(!canMount())('says in a sentence that there is no space, and leaves nothing', async () => {
    const { send, base, names } = delivery()
    const makeRoom = mountSmallDisk(base)
    const large = Buffer.alloc(5 * 2 ** 20)
    const error = `no space is left for ${NAME} in reports/daily of COOLER_DELIVERY_FOLDER`
    expect(await send(large)).toEqual({ as: 'failed', error })
    expect(names()).toEqual([])
    makeRoom?.()
    expect(await send(large)).toEqual({ as: 'sent' })
  })

  test.skipIf(process.getuid?.() === 0 && !canMount())('says in a sentence that it may not write', async () => {
    const { send, base, folder } = delivery()
    mkdirSync(folder, { recursive: true })
    if (process.getuid?.() === 0) {
      mountSmallDisk(base)
      execFileSync('mount', ['-o', 'remount,ro', base]) // Permissions do not hold for root.
    } else {
      chmodSync(folder, 0o555)
    }
    const error = expect.stringMatching(
      /^reports\/daily of COOLER_DELIVERY_FOLDER may not be written .*\((EACCES|EROFS)\)$/,
    )
    expect(await send('one')).toEqual({ as: 'failed', error })
  })
})

describe('copies of a store in a folder', () => {
  const names = ['nightly-20261126.sqlite', 'nightly-20261127.sqlite', 'nightly-20261128.sqlite']

  test('are kept so many, seven unless set; nothing else is removed', async () => {
    const { sender, folder, names: all } = delivery()
    const put = (name: string, keep?: number) =>
      sender.send(channel, sendingOf(backupTo(channel, keep), name, fileOf('copy')))
    mkdirSync(join(folder, 'nightly-20261101.sqlite'), { recursive: true })
    symlinkSync(fileOf('precious'), join(folder, 'nightly-20261102.sqlite'))
    const foreign = [
      'nightly-2-20261101.sqlite',
      'nightly-20261101.csv',
      'nightly-20261101-2.sqlite',
      'x-20261101.sqlite',
    ]
    for (const name of foreign) writeFileSync(join(folder, name), '')
    const others = ['nightly-20261101.sqlite', 'nightly-20261102.sqlite', ...foreign]
    for (const name of names) expect(await put(name)).toEqual({ as: 'sent' })
    expect(all()).toEqual([...others, ...names].sort())
    await put('nightly-20261128.v10.sqlite', 3)
    expect(all()).toEqual([...others, ...names.slice(1), 'nightly-20261128.v10.sqlite'].sort())
    await put('nightly-20261128.v9.sqlite', 2)
    expect(all()).toEqual([...others, 'nightly-20261128.v10.sqlite', 'nightly-20261128.v9.sqlite'].sort())
  })

  test('that were delivered again later than others stay', async () => {
    const { sender, names: all } = delivery()
    for (const name of [...names].reverse())
      await sender.send(channel, sendingOf(backupTo(channel, 1), name, fileOf('copy')))
    expect(all()).toEqual(names.slice(0, 1))
  })
})

test('a file has no more rights than the folder was made with', async () => {
  const { send, folder } = delivery()
  await send('one')
  expect(statSync(join(folder, NAME)).mode & 0o022).toBe(0)
})
