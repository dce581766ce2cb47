import type { Command } from 'commander'
import { CoolerError } from '../base/errors.ts'
import { millisecondsInDay } from '../base/time.ts'
import { openReadingPipeline } from '../service/pipeline.ts'
import { deviceEvents } from '../store/device-events.ts'
import { dayArgument, wholeNumber } from './arguments.ts'
import { commandContext } from './context.ts'

interface EventsOptions {
  from?: number
  to?: number
  limit: number
}

/** Adds the command `events`. */
export function eventsCommand(program: Command): void {
  program
    .command('events')
    .description('print the landed events of a device, one JSON object a line, repeats included')
    .argument('<device>', 'device id')
    .option('--from <day>', 'first UTC day, YYYYMMDD', dayArgument)
    .option('--to <day>', 'last UTC day, YYYYMMDD', dayArgument)
    .option('--limit <count>', 'at most so many', wholeNumber(1, 1_000_000_000), 1_000_000_000)
    .addHelpText('after', '\nExample:\n  cooler events CLR-000001 --from 20260601 --to 20260601\n')
    .action(async (id: string, { from, to, limit }: EventsOptions) => {
      const pipeline = await openReadingPipeline(commandContext().config)
      try {
        const device = await pipeline.reader.registry.device(id)
        if (device === null) throw new CoolerError('not-found', `no device ${JSON.stringify(id)}`)
        const span = {
          fromAt: (from ?? 0) * millisecondsInDay,
          toAt: to === undefined ? Number.MAX_SAFE_INTEGER : (to + 1) * millisecondsInDay,
        }
        let left = limit
        for await (const { event } of deviceEvents(pipeline.reader.archive, device.number, span)) {
          if (left-- === 0) break
          process.stdout.write(`${JSON.stringify({ deviceId: id, ...event })}\n`)
        }
      } finally {
        await pipeline.close()
      }
    })
}
