import type { Command } from 'commander'
import { formatInstant } from '../base/time.ts'
import { isReason, REASON_MEANINGS, REASONS, type Reason } from '../event/reasons.ts'
import type { Intake } from '../ingest/intake.ts'
import { replayRejects } from '../ingest/replay.ts'
import { openPipeline, openReadingPipeline, type Pipeline } from '../service/pipeline.ts'
import type { Reject } from '../store/rejects.ts'
import { wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { renderTable } from './output/table.ts'
import { terminal } from './report.ts'

interface RejectsOptions {
  limit: number
  reason?: Reason
  replay?: boolean
  json?: boolean
}

const REASON_LINES = Object.entries(REASON_MEANINGS)
  .map(([reason, meaning]) => `  ${reason.padEnd(16)}${meaning.replaceAll('`', '')}`)
  .join('\n')

/** Adds the command `rejects`. */
export function rejectsCommand(program: Command): void {
  program
    .command('rejects')
    .description('list rejected events, newest first, or land them again')
    .option('--limit <count>', 'at most so many', wholeNumber(1, 1_000_000), 100)
    .option('--reason <reason>', 'of this reason only', reasonArgument)
    .option('--replay', 'land all of them again: what is good by now lands, the rest is rejected anew')
    .option('--json', 'one JSON object a line')
    .addHelpText(
      'after',
      `\nReasons:\n${REASON_LINES}\n\nExamples:\n  cooler rejects --reason at-in-future\n  cooler rejects --reason at-in-future --replay\n`,
    )
    .action(async ({ limit, reason, replay, json }: RejectsOptions) => {
      const { config } = commandContext()
      const pipeline = await (replay ? openPipeline(config) : openReadingPipeline(config))
      try {
        if (replay) {
          tellReplay(await replayAll(pipeline, reason), json)
          return
        }
        const rejects = await pipeline.reader.rejects.page({ limit, reason })
        if (json) for (const reject of rejects) console.log(JSON.stringify(reject))
        else console.log(renderTable(COLUMNS, rejects, terminal()))
      } finally {
        await pipeline.close()
      }
    })
}

function reasonArgument(text: string): Reason {
  if (isReason(text)) return text
  throw new UsageError(`${JSON.stringify(text)} is no reason: use one of ${REASONS.join(', ')}`)
}

interface Replayed {
  accepted: number
  rejected: number
  left: number
}

/** Replays page by page down to the oldest. Events that are rejected again are newer than all pages still to come. */
async function replayAll({ reader, ingest }: Pipeline, reason: Reason | undefined): Promise<Replayed> {
  const total = { accepted: 0, rejected: 0, left: 0 }
  const intake: Intake = { accept: (batch) => ingest.run('land', batch) }
  const parts = {
    rejects: reader.rejects,
    intake,
    forget: (ids: readonly number[]) => ingest.run('forgetRejects', ids),
  }
  for (let before: number | undefined; ; ) {
    const { accepted, rejected, left, next } = await replayRejects(parts, { reason, before })
    total.accepted += accepted
    total.rejected += rejected
    total.left += left
    if (next === null) return total
    before = next
  }
}

function tellReplay(total: Replayed, json = false): void {
  if (json) {
    console.log(JSON.stringify(total))
    return
  }
  const { accepted, rejected, left } = total
  const texts = [`landed ${accepted.toLocaleString('en')}`, `rejected again ${rejected.toLocaleString('en')}`]
  if (left > 0) texts.push(`left ${left.toLocaleString('en')}, of which the whole text is not kept`)
  console.log(texts.join(', '))
}

const COLUMNS = [
  { title: 'id', value: ({ id }: Reject) => id, importance: 5 },
  { title: 'rejected', value: ({ rejectedAt }: Reject) => formatInstant(rejectedAt), importance: 6 },
  { title: 'reason', value: ({ reason }: Reject) => reason, importance: 9 },
  { title: 'event', value: ({ raw }: Reject) => raw, importance: 8 },
]
