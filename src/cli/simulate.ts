import { once } from 'node:events'
import type { Command } from 'commander'
import { formatDay, utcDayOf } from '../base/time.ts'
import { simulateFleet } from '../simulate/fleet.ts'
import { dayArgument, wholeNumber } from './arguments.ts'
import { createProgress } from './output/progress.ts'

interface SimulateOptions {
  devices: number
  days: number
  start: number
  seed: number
  faults?: boolean
}

/** Adds the command `simulate`. */
export function simulateCommand(program: Command): void {
  program
    .command('simulate')
    .description('print the telemetry of a made-up fleet, one JSON event a line: the same for the same options')
    .option('--devices <count>', 'coolers', wholeNumber(1, 10_000_000), 100)
    .option('--days <count>', 'local days that each lives through', wholeNumber(1, 3660), 1)
    .option('--start <day>', 'first of them, YYYYMMDD (default: as many days ago, so that all are over)', dayArgument)
    .option('--seed <number>', 'another number, another fleet', wholeNumber(-(2 ** 53), 2 ** 53), 1)
    .option('--faults', 'with repeats, late, delayed and invalid events, as real fleets have them')
    .addHelpText('after', '\nExample:\n  cooler simulate --devices 1000 --days 7 | gzip > fleet.ndjson.gz\n')
    .action(async (options: SimulateOptions) => {
      const start = options.start ?? utcDayOf(Date.now()) - options.days - 1
      await write({ ...options, start })
    })
}

/** Text is written in pieces of about this many characters. */
const PIECE = 1 << 18

async function write({ devices, days, start, seed, faults = false }: SimulateOptions): Promise<void> {
  const progress = createProgress({ label: 'simulate', unit: 'events' })
  let piece = ''
  let events = 0
  for (const event of simulateFleet({ devices, days, startDay: formatDay(start), seed, faults: faults as boolean })) {
    piece += `${JSON.stringify(event)}\n`
    events++
    if (piece.length < PIECE) continue
    progress.update(events)
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
    piece = ''
  }
  process.stdout.write(piece)
  progress.update(events)
  progress.finish()
}
