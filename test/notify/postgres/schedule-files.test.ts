import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { millisecondsInDay } from '../../../src/base/time.ts'
import { eventually } from '../../helpers/eventually.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { temporaryService } from '../../helpers/temporary-service.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'
import { backupTo, reportTo } from '../sendings.ts'

test('a service delivers the report that is due; a copy of the store fails and names what replaces it', async () => {
  const folder = temporaryFolder()
  const channel = { type: 'folder', path: 'reports' } as const
  const { pipeline } = await temporaryService(
    { api: false, work: true },
    {
      COOLER_STORE: await temporaryDatabase(),
      COOLER_DELIVERY_FOLDER: folder,
      COOLER_REFRESH_MINUTES: '0.01',
    },
  )
  const { notices } = pipeline.reader
  const before = Date.now() - 2 * millisecondsInDay
  for (const one of [reportTo(channel), backupTo(channel, 2)])
    await pipeline.notify.run('call', { name: 'putSubscription', values: [one.id, JSON.stringify(one), before] })
  const states = async () => {
    const messages = await notices.messages({ limit: 10 })
    return messages.map(({ subscription, state }) => `${subscription} ${state}`)
  }
  await eventually(states).toContain('route-12 sent')
  expect(readdirSync(join(folder, 'reports')).filter((name) => name.endsWith('.csv'))).not.toEqual([])
  await eventually(async () => (await notices.messages({ subscription: 'nightly', limit: 1 }))[0]?.error).toMatch(
    /point-in-time recovery/,
  )
})
