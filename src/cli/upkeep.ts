import type { Command } from 'commander'
import { formatDay, utcDayOf } from '../base/time.ts'
import { openPipeline } from '../service/pipeline.ts'
import type { UpkeepResult } from '../upkeep/upkeep.ts'
import { commandContext } from './context.ts'

/** Adds the commands `compact` and `prune-raw`, for stores on which no service does this by itself. */
export function upkeepCommands(program: Command): void {
  program
    .command('compact')
    .description('compact the raw events of closed days that have been rolled up, and sum their rollups by weeks')
    .option('--json', 'print the outcome as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const pipeline = await openPipeline(commandContext().config)
      try {
        const { days, events, weeks } = await pipeline.upkeep.compact(pipeline.now())
        if (json) console.log(JSON.stringify({ days, events, weeks }))
        else console.log(`${events.toLocaleString('en')} events compacted`)
      } finally {
        await pipeline.close()
      }
    })
  program
    .command('prune-raw')
    .description('delete raw events that are older than COOLER_RAW_RETENTION_DAYS, whole settled days at a time')
    .option('--json', 'print the outcome as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const pipeline = await openPipeline(commandContext().config)
      try {
        const pruned = await pipeline.upkeep.pruneRaw(pipeline.now())
        const purgedBefore = await pipeline.reader.archive.purgedBefore()
        if (json) console.log(JSON.stringify({ ...pruned, rawSince: rawSince(purgedBefore) }))
        else console.log(printed(pruned, purgedBefore))
      } finally {
        await pipeline.close()
      }
    })
}

/** Returns the first UTC day, YYYYMMDD, whose raw events have not been deleted; null if none have ever been deleted. */
const rawSince = (purgedBefore: number): number | null =>
  purgedBefore === 0 ? null : formatDay(utcDayOf(purgedBefore))

function printed({ days, events }: UpkeepResult, purgedBefore: number): string {
  const since = rawSince(purgedBefore)
  const kept = since === null ? 'none has ever been deleted' : `those of UTC day ${since} and later are kept`
  return `${events.toLocaleString('en')} raw events of ${days} UTC days deleted; ${kept}`
}
