import type { Command } from 'commander'
import type { Erased, EraseRequest } from '../erase/erase-request.ts'
import { EVENT_TYPES, type EventType, isEventType } from '../event/fields.ts'
import { parseInstant } from '../ingest/parse-instant.ts'
import { eraseLogged } from '../service/erase-logged.ts'
import { openPipeline } from '../service/pipeline.ts'
import { END_OF_TIME } from '../store/due.ts'
import { commandContext, UsageError } from './context.ts'
import { createProgress } from './output/progress.ts'

interface EraseOptions {
  import?: string
  from?: number
  to?: number
  type?: EventType
  dryRun?: boolean
  rollup?: boolean
  json?: boolean
}

/** Adds the command `erase`. */
export function eraseCommand(program: Command): void {
  program
    .command('erase')
    .description('erase raw events of a device, or what an import landed, with all that depends on them')
    .argument('[device]', 'device id')
    .option('--import <id>', 'erase what only this import has landed, and devices that only it registered')
    .option('--from <instant>', 'first instant: RFC 3339 with an offset, or epoch milliseconds', instantArgument)
    .option('--to <instant>', 'first instant after the last', instantArgument)
    .option('--type <type>', `only events of this type: ${EVENT_TYPES.join(', ')}`, typeArgument)
    .option('--dry-run', 'count, and erase nothing')
    .option('--rollup', 'then roll up all that is due, as cooler rollup does')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      `
Without --from and --to all events of the device are erased. Placements are erased only with --type placement, or with their
import. Of an import, events that another source landed as well stay. What remains elsewhere (backups, exports, jobs in the
queue) is listed in the chapter Erasing of /docs.

Examples:
  cooler erase CLR-000001 --type gps --from 2026-06-01T00:00:00Z
  cooler erase --import imp-20261129-k3m7qa --dry-run
`,
    )
    .action(async (device: string | undefined, options: EraseOptions) => {
      const request = requestOf(device, options)
      const { config, logger } = commandContext()
      const pipeline = await openPipeline(config)
      const progress = createProgress({ label: 'erase', unit: 'days' })
      const { dryRun = false, rollup = false, json } = options
      try {
        const onProgress = (done: number): void => progress.update(done)
        const now = pipeline.now()
        const erased = await eraseLogged(pipeline.eraser, request, { dryRun, now, onProgress }, logger)
        if (rollup && !dryRun) await pipeline.runner.run({ now, refresh: true })
        console.log(json ? JSON.stringify({ dryRun, ...erased }) : describeErasure(erased, { dryRun, rollup }))
      } finally {
        progress.finish()
        await pipeline.close()
      }
    })
}

/** Checks the options and makes a request from them. @throws UsageError */
function requestOf(device: string | undefined, { import: id, from, to, type }: EraseOptions): EraseRequest {
  if ((device === undefined) === (id === undefined)) throw new UsageError('name either a device or --import ID')
  if (device !== undefined) {
    const [fromAt, toAt] = [from ?? 0, to ?? END_OF_TIME]
    if (fromAt >= toAt) throw new UsageError('--from must be before --to')
    return { device, fromAt, toAt, type: type ?? null }
  }
  if (from !== undefined || to !== undefined || type !== undefined) {
    throw new UsageError('--from, --to and --type are for a device: an import is erased as a whole')
  }
  return { import: id as string }
}

function instantArgument(text: string): number {
  const instant = parseInstant(text)
  if (instant !== null) return instant
  throw new UsageError(
    `${JSON.stringify(text)} is not an instant: write RFC 3339 with Z or an offset, such as 2026-06-01T00:00:00Z, or epoch milliseconds`,
  )
}

function typeArgument(text: string): EventType {
  if (isEventType(text)) return text
  throw new UsageError(`${JSON.stringify(text)} is not a type of events: use one of ${EVENT_TYPES.join(', ')}`)
}

function describeErasure(erased: Erased, { dryRun, rollup }: { dryRun: boolean; rollup: boolean }): string {
  const { byType, rejects, devices, placementsLeft, purgedDays, logEmptied } = erased
  const counted = (name: string, count: number): string => `${name} ${count.toLocaleString('en')}`
  const types = Object.entries(byType).map(([type, count]) => counted(type, count))
  const counts = [counted(dryRun ? 'would be erased' : 'erased', erased.erased), ...types]
  const lines = [[...counts, counted('rejected events', rejects), counted('devices', devices)].join(', ')]
  if (!dryRun && !rollup && erased.erased > 0) lines.push('the next rollup computes again what depended on them')
  if (placementsLeft > 0) lines.push(`${counted('placements that stay', placementsLeft)}: --type placement erases them`)
  if (purgedDays !== null) {
    lines.push(
      `raw events of UTC days ${purgedDays.from} to ${purgedDays.to} are too old: their figures stay as they are`,
    )
  }
  if (logEmptied === false) lines.push('copies may be left in the write-ahead log: erase again when nobody reads')
  return lines.join('\n')
}
