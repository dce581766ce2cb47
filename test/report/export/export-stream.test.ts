import { once } from 'node:events'
import { expect, test } from 'vitest'
import { parseDay } from '../../../src/base/time.ts'
import { DAY, NOON } from '../../helpers/events.ts'
import { eventually } from '../../helpers/eventually.ts'
import { csvRows } from './read-back.ts'
import { reportsOfMany } from './reports-of-many.ts'

const DEVICES = 10_000
const EPOCH_DAY = parseDay(DAY) as number
const TASK = { fromDay: EPOCH_DAY, toDay: EPOCH_DAY, within: null, now: Date.parse(NOON) }

async function files() {
  const { reports, filesOpen } = await reportsOfMany(DEVICES, (nth) => `cooler ${nth}`)
  return {
    file: (format: 'csv' | 'parquet' = 'csv', more = {}) =>
      reports.file({ name: 'daily', task: { ...TASK, ...more }, format, withMark: false }),
    fileFor: (who: string) => reports.file({ name: 'daily', task: TASK, format: 'csv', withMark: false, who }),
    filesOpen,
  }
}

test('a file is made as it is taken, and forgotten by its thread when it is all there', async () => {
  const { file, filesOpen } = await files()
  const stream = await file()
  await once(stream, 'readable')
  expect(await filesOpen()).toBe(1)
  expect(stream.readableLength).toBeLessThan(DEVICES * 20) // Of some 400 000 bytes.
  expect(csvRows(Buffer.concat(await stream.toArray()))).toHaveLength(DEVICES)
  expect(await filesOpen()).toBe(0)
})

test('one that nobody wants any more is forgotten, begun or not', async () => {
  const { file, filesOpen } = await files()
  const [unread, begun, small] = [await file(), await file('parquet'), await file('csv', { ids: ['cooler 1'] })]
  await once(begun, 'readable')
  expect(await filesOpen()).toBe(3)
  for (const stream of [unread, begun, small]) stream.destroy()
  await eventually(filesOpen).toBe(0)
})

test('only so many of many devices are made at once, until one of them has gone', async () => {
  const { file } = await files()
  const streams = await Promise.all(Array.from({ length: 8 }, () => file()))
  await expect(file()).rejects.toMatchObject({ code: 'store-busy' })
  await file('csv', { ids: ['cooler 1'] })
  streams[0].destroy()
  await once(streams[0], 'close')
  expect(csvRows(Buffer.concat(await (await file()).toArray()))).toHaveLength(DEVICES)
})

test('of these one asker gets half at most', async () => {
  const { fileFor } = await files()
  const streams = await Promise.all(Array.from({ length: 4 }, () => fileFor('one')))
  await expect(fileFor('one')).rejects.toMatchObject({ code: 'store-busy', message: expect.stringMatching(/for you/) })
  await Promise.all(Array.from({ length: 4 }, () => fileFor('other')))
  await expect(fileFor('third')).rejects.toMatchObject({ code: 'store-busy' })
  streams[0].destroy()
  await once(streams[0], 'close')
  expect(csvRows(Buffer.concat(await (await fileFor('one')).toArray()))).toHaveLength(DEVICES)
})
