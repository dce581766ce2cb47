import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { findDamage } from '../../../src/store/sqlite/damage.ts'
import { temporaryStore } from '../../helpers/temporary-store.ts'
import { UTC_DAY } from '../landing-fixture.ts'
import { idsOf, lookAt, messageOf, NOW, put } from '../notice-fixture.ts'

const damaged = expect.objectContaining({ code: 'store-damaged' })

/** Flips a bit of each body of a table. */
function flip(file: string, table: 'message' | 'told', where: string): void {
  const database = new Database(file)
  onTestFinished(() => void database.close())
  const { body } = database.prepare(`SELECT body FROM ${table} WHERE ${where}`).get() as { body: Buffer }
  body[body.length >> 1] ^= 4
  expect(database.prepare(`UPDATE ${table} SET body = ? WHERE ${where}`).run(body).changes).toBe(1)
}

test('a message that is damaged fails and says so; the others are sent', async () => {
  const { notices, file } = temporaryStore()
  const [first, second] = [messageOf(), messageOf({ version: 2, createdAt: NOW + 1 })]
  await notices.compose([first, second], [])
  expect(findDamage(file)).toMatchObject({ parts: 2, damaged: 0 })
  flip(file, 'message', `id = '${first.id}'`)
  expect(findDamage(file)).toMatchObject({ damaged: 1, first: [expect.stringContaining(first.id)] })
  expect(await notices.claim(NOW + 1, NOW + 9, 9)).toEqual([])
  expect(await notices.messageCounts()).toMatchObject({ waiting: 1, failed: 1 })
  await expect(notices.message(first.id)).rejects.toEqual(damaged)
  expect(idsOf(await notices.claim(NOW + 1, NOW + 9, 9))).toEqual([second.id])
})

test('what was told and is damaged is found, and is gone with its subscription', async () => {
  const store = temporaryStore()
  const { notices, file } = store
  await put(notices, 'one', 'other')
  const told = ['one', 'other'].map((subscription) => ({ day: UTC_DAY, subscription, bits: new Map([[0, 1]]) }))
  await notices.note(await lookAt(store, { told }))
  flip(file, 'told', "subscription = 'one'")
  expect(findDamage(file)).toMatchObject({ parts: 2, damaged: 1, first: [expect.stringContaining('"one"')] })
  await expect(notices.told(0, UTC_DAY, UTC_DAY)).rejects.toEqual(damaged)
  await notices.removeSubscription('one')
  expect(await notices.told(0, UTC_DAY, UTC_DAY)).toEqual([told[1]])
})
