import { describe, expect, test } from 'vitest'
import { parseCursor } from '../../src/explain/page.ts'
import { FIGURE_NAMES } from '../../src/rollup/figures/figures.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { adoptOthers, event, land, power, rollUp, SETTINGS, visitor } from '../rollup/shard-fixture.ts'
import { celsius, door, effects, explain, fix, place, total } from './explain-fixture.ts'

const DAY = 20240510

async function explained(events: readonly object[], day = DAY, settings = SETTINGS) {
  const store = temporaryStore()
  await land(store, ...events)
  await rollUp(store, {}, settings)
  return explain(store, day, {}, settings)
}

describe('refused', () => {
  test('is a device that nobody registered, by its name', async () => {
    const store = temporaryStore()
    await expect(explain(store, DAY, { deviceId: 'b"' })).rejects.toMatchObject({
      code: 'not-found',
      message: 'no such device: "b\\""',
    })
  })

  test('is a date that the device skips, and told why', async () => {
    const store = temporaryStore()
    await land(store, place('2011-01-01T00:00', 'Pacific/Apia'), visitor('2011-12-30T12:00', 3))
    await rollUp(store)
    await expect(explain(store, 20111230)).rejects.toMatchObject({
      code: 'not-found',
      message: 'the device has no day 20111230: by its zones (Pacific/Apia) that date is skipped',
    })
    expect(await explain(store, 20111231)).toMatchObject({ figures: { visitorCount: 3 }, matches: true })
  })

  test('is a store that was rolled up by other settings', async () => {
    const store = temporaryStore()
    await land(store, visitor('05-10T10:00', 1))
    await rollUp(store)
    await adoptOthers(store)
    await expect(explain(store, DAY)).rejects.toMatchObject({ code: 'other-rules' })
  })
})

describe('a reading', () => {
  test('comes in the order of events, whatever the order of arrival, with what it counts', async () => {
    const { readings, from } = await explained([
      visitor('05-10T12:00', 2),
      event('05-10T10:00', { type: 'door', count: 6, seq: 7 }),
      visitor('05-10T11:00', 5),
    ])
    const at = (time: string): string => `2024-05-10T${time}:00.000Z`
    expect(readings).toEqual([
      { at: at('10:00'), seq: 7, type: 'door', count: 6, figures: ['openCloseNum'], counts: 6 },
      { at: at('11:00'), type: 'visitor', count: 5, figures: ['visitorCount'], counts: 5 },
      { at: at('12:00'), type: 'visitor', count: 2, figures: ['visitorCount'], counts: 2 },
    ])
    expect(from).toMatchObject({ visitorCount: { readings: 2, sum: 7 }, openCloseNum: { readings: 1, sum: 6 } })
  })

  test('that is a repeat counts nothing, and is no event', async () => {
    const twice = [visitor('05-10T12:00', 2), celsius('05-10T12:00', 4)]
    const { readings, figures, events, repeats, from } = await explained([...twice, ...twice, ...twice])
    expect(readings?.map(({ type, repeat, counts, figures }) => ({ type, repeat, counts, figures }))).toEqual([
      { type: 'temperature', figures: ['currTemp', 'maxTemp', 'minTemp'] },
      { type: 'temperature', repeat: true, figures: ['currTemp'] },
      { type: 'temperature', repeat: true, figures: ['currTemp'] },
      { type: 'visitor', counts: 2, figures: ['visitorCount'] },
      { type: 'visitor', repeat: true, figures: ['visitorCount'] },
      { type: 'visitor', repeat: true, figures: ['visitorCount'] },
    ])
    expect([figures.visitorCount, events, repeats, from.visitorCount.readings]).toEqual([2, 2, 4, 1])
  })

  test('of a counter adds its increase, all of it after a restart, and nothing where it is the first', async () => {
    const explanation = await explained([
      total('05-10T10:00', 100),
      total('05-10T11:00', 130),
      total('05-10T12:00', 4),
      total('05-10T13:00', 4),
    ])
    expect(effects(explanation)).toEqual([
      { type: 'visitor', total: 100, counts: 0, totalBefore: null },
      { type: 'visitor', total: 130, counts: 30, totalBefore: 100 },
      { type: 'visitor', total: 4, counts: 4, totalBefore: 130, restarted: true },
      { type: 'visitor', total: 4, counts: 0, totalBefore: 4 },
    ])
    expect(explanation.from.visitorCount).toEqual({ readings: 4, sum: 34, restarts: 1 })
    expect(explanation.carriedOut.visitorTotal).toBe(4)
  })

  test('of a door that is held already counts nothing where changes are counted', async () => {
    const events = [door('05-10T10:00', true), door('05-10T11:00', true), door('05-10T12:00', false)]
    const counted = async (doorCount: 'events' | 'changes') =>
      (await explained(events, DAY, { ...SETTINGS, doorCount })).readings?.map(({ counts }) => counts)
    expect(await counted('events')).toEqual([1, 1, 1])
    expect(await counted('changes')).toEqual([1, 0, 1])
  })

  test('of temperatures names the extremes where it is one, and only there', async () => {
    const events = [
      celsius('05-10T10:00', 4.125, 4),
      celsius('05-10T11:00', -1),
      celsius('05-10T12:00', 8),
      celsius('05-10T13:00', 8),
    ]
    const { readings, from } = await explained(events)
    expect(readings?.map(({ figures }) => figures)).toEqual([
      ['currTemp', 'setTemp'],
      ['currTemp', 'minTemp'],
      ['currTemp', 'maxTemp'],
      ['currTemp', 'maxTemp'],
    ])
    expect(from).toMatchObject({
      currTemp: { readings: 4, sumCelsius: 19.125 },
      setTemp: { readings: 1, sumCelsius: 4 },
      maxTemp: { readings: 4, celsius: 8, at: '2024-05-10T12:00:00.000Z' },
      minTemp: { readings: 4, celsius: -1, at: '2024-05-10T11:00:00.000Z' },
    })
  })

  test('of a place tells how far off it is, and whether it is left out as a spike', async () => {
    const { readings, figures, from, places, spikes } = await explained([
      place('05-01T00:00', 'UTC', 0, 0.001),
      fix('05-10T10:00', 0, 0.001),
      fix('05-10T10:01', 1, 0.001),
      fix('05-10T10:02', 0, 0.002),
    ])
    expect(readings?.map(({ deviationMeters, spike }) => [deviationMeters, spike])).toEqual([
      [0, undefined],
      [111195.08, true],
      [111.195, undefined],
    ])
    expect(figures.distance).toBe(55.6)
    expect(from.distance).toEqual({ readings: 2, sumMeters: 111.195, spikes: 1 })
    expect([places, spikes]).toEqual([[{ lat: 0, lon: 0.001, by: 'placement', from: '2024-05-10T00:00:00.000Z' }], 1])
  })

  test('of a device that was never placed is measured from its first fix', async () => {
    const explanation = await explained([fix('05-09T10:00', 0, 0.001), fix('05-10T10:00', 0, 0.002)])
    expect(effects(explanation)).toEqual([{ type: 'gps', lat: 0, lon: 0.002, deviationMeters: 111.195 }])
    expect(explanation.places).toMatchObject([{ lat: 0, lon: 0.001, by: 'first-fix' }])
  })

  test('of a device with any id is told', async () => {
    for (const deviceId of ['\ud800', '__proto__', '/..%', 'é', '\u0000']) {
      const store = temporaryStore()
      await land(
        store,
        { ...visitor('05-10T12:00', 2), deviceId },
        { ...visitor('05-10T12:00', 'x' as never), deviceId },
      )
      await rollUp(store)
      expect(await explain(store, DAY, { deviceId })).toMatchObject({
        deviceId,
        readings: [{ counts: 2 }],
        rejects: { 'not-a-number': 1 },
      })
    }
  })
})

describe('pages', () => {
  /** 250 readings: two and more at each instant, power among them. */
  const many = Array.from({ length: 125 }, (_, minute) => {
    const at = new Date(Date.parse('2024-05-10T00:00:00Z') + Math.floor(minute / 3) * 60_000).toISOString().slice(0, 16)
    return [visitor(at, minute), power(at, minute % 2 === 0)]
  }).flat()

  test.each([1, 7, 100, 249, 250])('of %i tell every reading once, in order, and every span once', async (limit) => {
    const store = temporaryStore()
    await land(store, ...many, ...many.slice(0, 2))
    await rollUp(store)
    const whole = await explain(store, DAY)
    const [readings, told] = [[] as unknown[], [] as unknown[]]
    let after = null
    for (let pages = 1; ; pages++) {
      const page = await explain(store, DAY, { limit, after })
      expect(page.readings?.length).toBeLessThanOrEqual(limit)
      readings.push(...(page.readings ?? []))
      told.push(...(page.spans ?? []))
      if (page.next === null) {
        expect(pages).toBe(Math.ceil(readings.length / limit))
        break
      }
      after = parseCursor(page.next)
    }
    expect(readings).toHaveLength(whole.events + whole.repeats)
    expect([readings, told]).toEqual([whole.readings, whole.spans])
  })

  test('of one figure have its readings, and power spans only where it is of power', async () => {
    const store = temporaryStore()
    await land(store, ...many, celsius('05-10T05:00', 4), fix('05-10T05:00', 1, 1), door('05-10T05:00', true))
    await rollUp(store)
    const whole = await explain(store, DAY)
    for (const figure of FIGURE_NAMES) {
      const page = await explain(store, DAY, { figure })
      const concerned = whole.readings?.filter(({ figures }) => figures.includes(figure))
      expect(page.readings, figure).toEqual(concerned)
      expect(page.spans, figure).toEqual(/^power/.test(figure) ? whole.spans : [])
      expect({ ...page, readings: 0, spans: 0 }).toEqual({ ...whole, readings: 0, spans: 0 })
    }
  })

  test('are not shifted by what lands before them', async () => {
    const store = temporaryStore()
    await land(store, visitor('05-10T10:00', 1), visitor('05-10T11:00', 2))
    await rollUp(store)
    const { next } = await explain(store, DAY, { limit: 1 })
    await land(store, visitor('05-10T09:00', 3))
    await rollUp(store)
    const { readings } = await explain(store, DAY, { limit: 1, after: parseCursor(next ?? '') })
    expect(readings).toMatchObject([{ counts: 2 }])
  })

  test('a text that is no cursor is none', () => {
    for (const text of ['', '-', '1', '1-', '-1', '1-1-1', '1.5-1', 'a-1', ' 1-1', `${'9'.repeat(16)}-1`]) {
      expect(parseCursor(text), text).toBe(null)
    }
  })
})
