import { formatInstant, millisecondsInDay } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { Mapping } from '../ingest/mapping/mapping.ts'
import type { ImportOptions } from './import.ts'
import type { Survey } from './import-survey.ts'

/** Returns the warnings that a person should read before the first row lands. */
export function warningsOf({ old, reasons }: Survey, { at }: Mapping, { rawRetentionMs }: Config): string[] {
  const warnings: string[] = []
  if ('received' in at) warnings.push('rows have no time of their own: importing the file again counts again')
  const purged = reasons['raw-purged'] ?? 0
  if (purged > 0)
    warnings.push(`${purged} events are rejected as raw-purged: raw events of their days have been deleted`)
  if (old > 0 && rawRetentionMs !== null) {
    const days = rawRetentionMs / millisecondsInDay
    warnings.push(
      `${old} events are older than COOLER_RAW_RETENTION_DAYS (${days}): they are deleted soon after their days are rolled up`,
    )
  }
  return warnings
}

/** Returns the outcome of an import as text or JSON. `id` is the id of the import; null if nothing lands. */
export function tellImport(
  found: Survey,
  warnings: readonly string[],
  { json, queue, dryRun, id }: ImportOptions & { id: string | null },
): string {
  const { rows, empty, events, rejected, reasons } = found
  const first = found.first.map(readable)
  const firstRejects = found.firstRejects.map(({ event, ...reject }) => ({ ...reject, event: readable(event) }))
  if (json)
    return JSON.stringify({
      ...(id === null ? {} : { import: id }),
      rows,
      empty,
      events,
      rejected,
      reasons,
      warnings,
      ...(dryRun ? { first, firstRejects } : {}),
    })
  const shown = [
    ...first.map((event) => JSON.stringify(event)),
    ...firstRejects.map(({ file, line, reason, event }) => `${file}:${line}: ${reason} ${JSON.stringify(event)}`),
  ]
  const counts = [
    `rows ${rows}`,
    `${queue ? 'enqueued' : 'events'} ${events}`,
    `rejected ${rejected}${tellReasons(reasons)}`,
  ]
  if (empty > 0) counts.push(`rows without an event ${empty}`)
  return [
    ...(dryRun ? shown : []),
    `${counts.join(', ')}${id === null ? ' (dry run: nothing landed)' : `; taken back by cooler erase --import ${id}`}`,
  ].join('\n')
}

const EXCLUDE = '"when": {"from": COLUMN, "notEquals": ""} excludes rows without a value'

/** Returns the error message of an import that landed nothing, or not everything. */
export function tellFailure({ rejected, reasons, empty, firstEmpty }: Survey, dryRun: boolean): string {
  const counts = [
    ...(rejected > 0 ? [`rejected ${rejected}${tellReasons(reasons)}${dryRun ? '' : ', see cooler rejects'}`] : []),
    ...(empty > 0 ? [`rows without an event ${empty}, the first is ${firstEmpty} (${EXCLUDE})`] : []),
  ]
  return `${counts.join('; ')}. With --allow-rejects this is no failure`
}

function tellReasons(reasons: Survey['reasons']): string {
  const counts = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`)
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`
}

/** Returns the event with its instant as readable text. */
function readable(event: unknown): unknown {
  const { at } = event as { at?: unknown }
  const isInstant = typeof at === 'number' && Math.abs(at) <= 8.64e15
  return isInstant ? { ...(event as object), at: formatInstant(at) } : event
}
