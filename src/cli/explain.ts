import type { Command } from 'commander'
import { PAGE } from '../base/schema-fields.ts'
import type { ExplainRequest } from '../explain/explain-day.ts'
import { type PageCursor, parseCursor } from '../explain/page.ts'
import { FIGURE_NAMES, type FigureName, isFigureName } from '../rollup/figures/figures.ts'
import { openReadingPipeline } from '../service/pipeline.ts'
import { dayArgument, wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { explainedDay } from './explained-day.ts'

interface ExplainOptions {
  figure?: FigureName
  limit: number
  after?: PageCursor
  json?: boolean
}

/** Adds the command `explain`. */
export function explainCommand(program: Command): void {
  program
    .command('explain')
    .description('tell what the figures of one device and local day come from')
    .argument('<device>', 'device id')
    .argument('<day>', 'local day, YYYYMMDD', dayArgument)
    .option('--figure <name>', `only readings of one figure: ${FIGURE_NAMES.join(', ')}`, figureArgument)
    .option('--limit <count>', 'at most so many readings', wholeNumber(1, PAGE.most), PAGE.default)
    .option('--after <cursor>', 'go on behind the readings of the page before', cursorArgument)
    .option('--json', "print the API's answer")
    .addHelpText(
      'after',
      `
The day is computed again by the code that rolled it up, from the same events. Printed are the readings in their order with
what each added, dropped repeats, spikes, rejected events by reason, the power spans, which cover the day, with the reason of
unknown time, and the state carried in and out. The status is provisional until the day closes, then settled, or revised if
something changed it afterwards; revisions have the figures before each change. "waiting" counts landed events that are in no
figure yet. If the events do not give the stored figures, "matches" is false and "recomputed" has what they give.

Examples:
  cooler explain CLR-000001 20260601
  cooler explain CLR-000001 20260601 --figure distance
`,
    )
    .action(async (deviceId: string, day: number, { json, figure, limit, after }: ExplainOptions) => {
      const pipeline = await openReadingPipeline(commandContext().config)
      try {
        const request: ExplainRequest = { deviceId, day, figure: figure ?? null, limit, after: after ?? null }
        const explanation = await pipeline.explain.run('explain', request)
        console.log(json ? JSON.stringify(explanation) : explainedDay(explanation))
      } finally {
        await pipeline.close()
      }
    })
}

function figureArgument(text: string): FigureName {
  if (!isFigureName(text)) {
    throw new UsageError(`${JSON.stringify(text)} is no figure: there are ${FIGURE_NAMES.join(', ')}`)
  }
  return text
}

function cursorArgument(text: string): PageCursor {
  const cursor = parseCursor(text)
  if (cursor === null) throw new UsageError(`${JSON.stringify(text)} is no cursor: take it from the page before`)
  return cursor
}
