import { expect, test } from 'vitest'
import { EVENTS_OF_DEVICE, Ledger } from './ledger.ts'

const AT = Date.parse('2026-11-20T12:00:00Z')
const ALL = (4 ** EVENTS_OF_DEVICE - 1) / 3

function ledgerOf(acknowledged: number): Ledger {
  const ledger = new Ledger()
  const events = ledger.open('a', 20261120, AT)
  ledger.acknowledge(events.slice(0, acknowledged))
  return ledger
}

test.each([
  ['all that was acknowledged, once', EVENTS_OF_DEVICE, ALL, { lost: 0, doubled: 0, landedUnanswered: 0 }],
  ['nothing', EVENTS_OF_DEVICE, 0, { lost: EVENTS_OF_DEVICE, doubled: 0 }],
  ['all but the third', EVENTS_OF_DEVICE, ALL - 16, { lost: 1, doubled: 0 }],
  ['the first twice', EVENTS_OF_DEVICE, ALL + 1, { lost: 0, doubled: 1 }],
  ['everything twice', EVENTS_OF_DEVICE, 2 * ALL, { lost: 0, doubled: EVENTS_OF_DEVICE }],
  ['the last four times', EVENTS_OF_DEVICE, ALL + 3 * 4 ** (EVENTS_OF_DEVICE - 1), { doubled: 1 }],
  ['one that was not acknowledged', 2, 1 + 4 + 64, { acknowledged: 2, lost: 0, doubled: 0, landedUnanswered: 1 }],
])('a figure that counts %s is told for what it is', (_, acknowledged, visitors, expected) => {
  expect(ledgerOf(acknowledged).balance(() => visitors)).toMatchObject({ sent: EVENTS_OF_DEVICE, ...expected })
})
