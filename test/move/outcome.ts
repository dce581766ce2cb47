import { parseDay } from '../../src/base/time.ts'
import { eraseAll, eraseSteps } from '../../src/erase/erase.ts'
import { noticeRowsOf } from '../../src/move/copy-notices.ts'
import { numberRanges } from '../../src/move/number-ranges.ts'
import { decodeBlock } from '../../src/store/codec/block-codec.ts'
import type { Store } from '../../src/store/open-store.ts'
import { deviceAt } from '../../src/store/rollup-store.ts'
import { dailyEntries, productSettings, reportContext, summaryEntries } from '../helpers/run-history.ts'
import type { History } from '../reference/arbitraries.ts'
import { wholeMessages } from '../store/notice-fixture.ts'
import { verified } from '../verify/verify-fixture.ts'

const FROM = 0
const TO = parseDay(21000101) as number

/** All that a store tells, without the numbers of its devices. */
export async function outcome(store: Store, history: History): Promise<Record<string, unknown>> {
  const settings = productSettings(history.settings)
  const context = reportContext(store, settings, history.asOfMs)
  const rollups = await rollupsOf(store)
  const days = [...new Set(rollups.map(({ day }) => day))].sort((one, other) => one - other)
  const reports = []
  for (const day of days) {
    reports.push(await dailyEntries(context, day))
    reports.push(await summaryEntries(context, { fromDay: day, toDay: day + 30 }))
  }
  const { differences, dueDevices, dueDays, withoutRaw } = await verified(store, settings, { now: history.asOfMs })
  return {
    reports,
    rollups: sorted(rollups),
    verified: { differences: await withIds(store, differences), dueDays, withoutRaw, dueDevices },
    counters: await store.landing.counters(),
    rejects: await store.rejects.page({ limit: 1000 }),
    // Segments are cut in other ways by other shards.
    due: { ...(await store.due.counts(history.asOfMs)), dueSegments: null },
    dueEntries: await dueDevicesOf(store),
    purgedBefore: await store.archive.purgedBefore(),
    rules: await store.rollups.rules(),
    imports: await importsOf(store, history.asOfMs),
    ...(await devicesOf(store)),
    ...(await noticesOf(store)),
  }
}

const sorted = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))).sort()

async function rollupsOf(store: Store) {
  const rows: { device: string | undefined; day: number; rollup: unknown }[] = []
  for (let shard = 0; shard < store.rollups.shards; shard++) {
    for (const { block, day, body } of await store.rollups.blocksOfShard(shard, FROM, TO)) {
      for (const [slot, rollup] of decodeBlock(body, [shard, block, day]).entries()) {
        if (rollup === null) continue
        const device = deviceAt({ shard, block, slot }, store.rollups.shards)
        rows.push({ device: (await store.registry.ids([device])).get(device), day, rollup })
      }
    }
  }
  return rows
}

/** Replaces device numbers by ids. */
async function withIds({ registry }: Store, rows: readonly { device: number }[]): Promise<string[]> {
  const ids = await registry.ids(rows.map(({ device }) => device))
  return sorted(rows.map((row) => ({ ...row, device: ids.get(row.device) })))
}

async function dueDevicesOf(store: Store): Promise<string[]> {
  const rows: { device: number }[] = []
  for (let shard = 0; shard < store.archive.shards; shard++)
    for (const { id: _, ...due } of await store.due.devices(shard)) rows.push(due)
  return withIds(store, rows)
}

/** Imports, and what an erasure of each would erase. */
async function importsOf(store: Store, now: number) {
  const imports = await store.erasure.latestImports(100)
  const erased = []
  for (const { id } of imports) erased.push(await eraseAll(eraseSteps(store), { import: id }, { now, dryRun: true }))
  return { imports, erased }
}

/** Who was told what, and what is to be told. Messages are compared without ids, which are made at random. */
async function noticesOf(store: Store) {
  const { notices, moving } = store
  const messages = await wholeMessages(notices)
  return {
    subscriptions: await notices.subscriptions(),
    told: await withIds(
      store,
      (await noticeRowsOf(store)).map((row) => ({ ...row, revision: 0 })),
    ),
    noticedUpTo: await notices.noticedUpTo(),
    noticeDays: [
      ...new Set((await Promise.all((await notices.dueShards()).map((shard) => notices.dueDays(shard)))).flat()),
    ].sort(),
    messages: sorted(
      messages.map(({ id: _, body, ...message }) => ({ ...message, body: body.replaceAll(/msg_\w+/g, 'msg') })),
    ),
    claims: (await moving.messages(messages.map(({ id }) => id))).map(({ claimedUntil }) => claimedUntil).sort(),
  }
}

async function devicesOf({ moving, rollups, registry }: Store) {
  const rows: object[] = []
  for (const range of await numberRanges(registry, rollups.shards)) {
    const devices = await moving.devices(range)
    const ids = new Map(devices.map(({ number, id }) => [number, id]))
    const states = await rollups.states(devices.map(({ number }) => number))
    rows.push(...devices.map(({ number, ...row }) => ({ ...row, state: states.get(number) ?? null })))
    for (const { device, ...row } of [...(await moving.placements(range)), ...(await moving.revisions(range))])
      rows.push({ id: ids.get(device), ...row })
  }
  return { devices: sorted(rows) }
}
