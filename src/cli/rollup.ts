import type { Command } from 'commander'
import type { RollupResult } from '../rollup/rollup-request.ts'
import { openPipeline } from '../service/pipeline.ts'
import { dayArgument } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'

/** Adds the command `rollup`. */
export function rollupCommand(program: Command): void {
  program
    .command('rollup')
    .description('roll up all that is due; with --from and --to compute these days again, due or not')
    .option('--from <day>', 'first local day, YYYYMMDD', dayArgument)
    .option('--to <day>', 'last local day, YYYYMMDD', dayArgument)
    .option('--adopt', 'where the store was rolled up by other settings, compute all its days again by these')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', '\nExamples:\n  cooler rollup\n  cooler rollup --from 20260601 --to 20260630\n')
    .action(async ({ json, ...options }: RollupOptions) => {
      const result = await rollUp(options)
      console.log(json ? JSON.stringify(result) : summaryOf(result))
    })
}

function summaryOf({ deviceDays, events, repeats }: RollupResult): string {
  const left = repeats === 0 ? '' : `, ${repeats.toLocaleString('en')} of them repeats, which count once`
  return `${deviceDays.toLocaleString('en')} device-days from ${events.toLocaleString('en')} events${left}`
}

interface RollupOptions {
  from?: number
  to?: number
  adopt?: boolean
  json?: boolean
}

async function rollUp({ from, to, adopt }: RollupOptions): Promise<RollupResult> {
  if ((from === undefined) !== (to === undefined)) throw new UsageError('--from and --to go together')
  if (from !== undefined && to !== undefined && to < from) throw new UsageError('--to is before --from')
  const pipeline = await openPipeline(commandContext().config)
  try {
    if (adopt) await pipeline.runner.adoptRules(pipeline.now())
    const days = from === undefined || to === undefined ? {} : { days: { from, to } }
    return await pipeline.runner.run({ now: pipeline.now(), refresh: true, ...days })
  } finally {
    await pipeline.close()
  }
}
