import { expect, test } from 'vitest'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { scanLines } from '../../../src/ingest/scan/scan-lines.ts'

const NOW = Date.parse('2025-06-01T12:00:00Z')
const EVENT = JSON.stringify({ deviceId: 'a', at: NOW, type: 'visitor', count: 1 })

test.each([
  ['is nested without end', '['.repeat(400_000)],
  ['has very many values', `[${'{},'.repeat(200_000)}{}]`],
])("a line of an operator's file that %s is rejected alone", (_, line) => {
  const batch = new EventBatch()
  const bytes = Buffer.from([EVENT, line, EVENT].join('\n'))
  const result = scanLines(bytes, { landedAt: NOW, purgedBefore: 0 }, batch, { most: Number.MAX_SAFE_INTEGER })
  expect(result).toEqual({ landed: 2, rejected: 1, rejections: [{ index: 1, reason: 'not-an-object' }] })
})
