// Groups of events as a landing gets them, made before anything is measured. Their columns lie in memory that threads
// share.
import { createReadStream } from 'node:fs'
import { Landing } from '../../../dist/src/ingest/landing.js'

const BATCH_BYTES = 45_000
/** Batches of about 500 events that share a commit. */
const BATCHES = 200

const COLUMNS = {
  device: Int32Array,
  at: Float64Array,
  kind: Uint8Array,
  a: Int32Array,
  b: Int32Array,
  seq: Float64Array,
}

function shared(column, count) {
  const copy = new column.constructor(new SharedArrayBuffer(count * column.BYTES_PER_ELEMENT))
  copy.set(column.subarray(0, count))
  return copy
}

/** Returns a group of the same events without what is not needed twice. */
function kept({ ids, count, addresses, ...group }) {
  const columns = Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, shared(group[name], count)]))
  return { ids: [...ids], count, ...columns, addresses: new Map(addresses), placements: [], rejects: [], import: null }
}

/**
 * Reads a file of events as `cooler ingest` does, in the order of the file. Returns the groups of events, and one group
 * that registers all devices with their placements.
 */
export async function readGroups(file) {
  const groups = []
  const placements = new Map()
  const capture = {
    async land(group) {
      for (const placement of group.placements) placements.set(group.ids[placement.device], placement)
      groups.push(kept(group))
    },
  }
  const landing = new Landing(capture, { now: Date.now, purgedBefore: () => 0 })
  let batches = []
  const landed = async () => {
    // All in one turn of the event loop, so that they share a commit.
    await Promise.all(batches.map((ndjson) => landing.land({ ndjson })))
    batches = []
  }
  for await (const batch of batchesOf(file)) if (batches.push(batch) === BATCHES) await landed()
  await landed()
  return { groups, registration: registrationOf(placements) }
}

async function* batchesOf(file) {
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 22 })) {
    const bytes = Buffer.concat([rest, chunk])
    let from = 0
    for (;;) {
      const end = bytes.indexOf(10, from + BATCH_BYTES)
      if (end < 0) break
      yield bytes.subarray(from, end)
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
  if (rest.length > 0) yield rest
}

/** A group without events, by which devices register. */
export function registrationOf(placements) {
  const columns = Object.fromEntries(Object.entries(COLUMNS).map(([name, Column]) => [name, new Column(0)]))
  return {
    ids: [...placements.keys()],
    count: 0,
    ...columns,
    addresses: new Map(),
    placements: [...placements.values()].map((placement, device) => ({ ...placement, device })),
    rejects: [],
    import: null,
  }
}

export const eventsIn = (groups) => groups.reduce((sum, { count }) => sum + count, 0)

/**
 * Makes a larger fleet of the events between two instants: each device `copies` times, under other ids, in groups of
 * about `size` events in the order of time, as from devices that all send at once.
 */
export function* multiplied(groups, [fromAt, toAt], copies, size) {
  const rows = groups.flatMap((group) =>
    Array.from(group.at, (at, row) => ({ group, row, at })).filter(({ at }) => at >= fromAt && at < toAt),
  )
  rows.sort((one, other) => one.at - other.at)
  const each = Math.max(1, Math.round(size / copies))
  for (let from = 0; from < rows.length; from += each) yield multipliedGroup(rows.slice(from, from + each), copies)
}

export const copyOf = (id, copy) => `${id}-${copy}`

function multipliedGroup(rows, copies) {
  const indexes = new Map()
  for (const { group, row } of rows) {
    const id = group.ids[group.device[row]]
    if (!indexes.has(id)) indexes.set(id, indexes.size)
  }
  const count = rows.length * copies
  const columns = Object.fromEntries(Object.entries(COLUMNS).map(([name, Column]) => [name, new Column(count)]))
  for (let copy = 0, place = 0; copy < copies; copy++) {
    for (const { group, row } of rows) {
      for (const name of Object.keys(COLUMNS)) columns[name][place] = group[name][row]
      columns.device[place++] = copy * indexes.size + indexes.get(group.ids[group.device[row]])
    }
  }
  const ids = Array.from({ length: copies }, (_, copy) => [...indexes.keys()].map((id) => copyOf(id, copy))).flat()
  return { ids, count, ...columns, addresses: new Map(), placements: [], rejects: [], import: null }
}
