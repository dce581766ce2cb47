import { describe, expect, test } from 'vitest'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { land, power, rollUp, visitor } from '../rollup/shard-fixture.ts'
import { effects, explain, spans } from './explain-fixture.ts'

async function explained(events: readonly object[]) {
  const store = temporaryStore()
  await land(store, ...events)
  await rollUp(store)
  return explain(store, 20240510)
}

describe('contrary power events of one instant', () => {
  test('leave the state, and both say so', async () => {
    const explanation = await explained([
      power('05-10T06:00', true),
      power('05-10T12:00', false),
      power('05-10T12:00', true),
    ])
    expect(effects(explanation)).toEqual([
      { type: 'power', on: true, state: 'on' },
      { type: 'power', on: false, state: 'on', contrary: true },
      { type: 'power', on: true, state: 'on', contrary: true },
    ])
    expect(spans(explanation)).toEqual(['no-power-event 00:00-06:00', 'on 06:00-00:00'])
  })

  test('mean off where the state was unknown', async () => {
    const explanation = await explained([
      power('05-10T12:00', true),
      power('05-10T12:00', false),
      visitor('05-10T13:00', 1),
    ])
    expect(effects(explanation)).toEqual([
      { type: 'power', on: false, state: 'off', contrary: true },
      { type: 'power', on: true, state: 'off', contrary: true },
      { type: 'visitor', count: 1, counts: 1 },
    ])
    expect(spans(explanation)).toEqual(['no-power-event 00:00-12:00', 'off 12:00-00:00'])
    expect(explanation.figures.powerDuration).toBe(0)
  })
})
