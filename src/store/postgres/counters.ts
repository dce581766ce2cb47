import { randomInt } from 'node:crypto'
import type { Counters, RejectToLand } from '../landing.ts'
import { int, type Session } from './session.ts'

/** Slots of a counter. Two writers with the same slot wait for each other's commits. */
const SLOTS = 64

const NAME = {
  landed: 'landed',
  erased: 'erased',
  rejected: 'rejected',
  rejectsDropped: 'rejects dropped',
  registry: 'registry version',
  labels: 'labels version',
} as const

const BY_REASON = 'rejected: '

/** The slot of this thread. */
const SLOT = randomInt(SLOTS)

/** What a transaction adds to counters, by name. */
export class Additions {
  readonly #by = new Map<string, number>()

  add(name: keyof typeof NAME, by: number): void {
    this.#add(NAME[name], by)
  }

  addRejects(rejects: readonly Pick<RejectToLand, 'reason'>[]): void {
    for (const { reason } of rejects) this.addOfReason(reason, 1)
    this.add('rejected', rejects.length)
  }

  addOfReason(reason: string, by: number): void {
    this.#add(BY_REASON + reason, by)
  }

  #add(name: string, by: number): void {
    if (by !== 0) this.#by.set(name, (this.#by.get(name) ?? 0) + by)
  }

  get isEmpty(): boolean {
    return this.#by.size === 0
  }

  /** SQL that writes the additions. Until its transaction commits, others with the same slot wait. */
  get sql(): string {
    const rows = [...this.#by].sort(([one], [other]) => (one < other ? -1 : 1)) // One order, so that nobody waits in a circle.
    const values = rows.map(([name, by]) => `('${name.replaceAll("'", "''")}', ${SLOT}, ${int(by)})`)
    return `INSERT INTO counter (name, slot, value) VALUES ${values.join(', ')}
      ON CONFLICT (name, slot) DO UPDATE SET value = counter.value + excluded.value`
  }

  /** Writes the additions, as one of the last steps of a transaction. */
  async write(session: Session): Promise<void> {
    if (!this.isEmpty) await session.run(this.sql)
  }
}

/** Adds one change to the version of the registry, and to that of labels. */
export async function noteRegistryChange(session: Session, changesLabels = false): Promise<void> {
  const additions = new Additions()
  additions.add('registry', 1)
  if (changesLabels) additions.add('labels', 1)
  await additions.write(session)
}

const sumOf = (name: keyof typeof NAME): string =>
  `(SELECT coalesce(sum(value), 0)::bigint FROM counter WHERE name = '${NAME[name]}')`

/** SQL for the version of the registry, and for that of labels. */
export const REGISTRY_VERSION = sumOf('registry')
export const LABELS_VERSION = sumOf('labels')

/** Reads all running totals. */
export async function readCounters(session: Session): Promise<Counters> {
  const rows = await session.rows<{ name: string; value: number }>(
    'SELECT name, sum(value)::bigint AS value FROM counter GROUP BY name ORDER BY name',
  )
  const values = new Map(rows.map(({ name, value }) => [name, value]))
  const byReason = rows.filter(({ name }) => name.startsWith(BY_REASON))
  return {
    landed: values.get(NAME.landed) ?? 0,
    erased: values.get(NAME.erased) ?? 0,
    rejected: values.get(NAME.rejected) ?? 0,
    rejectsDropped: values.get(NAME.rejectsDropped) ?? 0,
    rejectedByReason: Object.fromEntries(byReason.map(({ name, value }) => [name.slice(BY_REASON.length), value])),
  }
}

/** Replaces all totals. Call it within a transaction that nobody else writes beside. */
export async function putCounters(session: Session, { rejectedByReason, ...totals }: Counters): Promise<void> {
  await session.run('DELETE FROM counter')
  const additions = new Additions()
  for (const [name, value] of Object.entries(totals)) additions.add(name as keyof typeof totals, value)
  for (const [reason, value] of Object.entries(rejectedByReason)) additions.addOfReason(reason, value)
  additions.add('registry', 1)
  await additions.write(session)
}
