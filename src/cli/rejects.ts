import type { Command } from 'commander'
import type { Reject } from '../raw/raw-store.ts'
import { wholeNumber } from './arguments.ts'
import { commandContext } from './context.ts'
import { renderTable } from './output/table.ts'
import { openPipeline } from './pipeline.ts'
import { terminal } from './report.ts'

export function rejectsCommand(program: Command): void {
  program
    .command('rejects')
    .description('list rejected events, newest first')
    .option('--limit <count>', 'at most so many', wholeNumber(1, 1_000_000), 100)
    .option('--json', 'one JSON object a line')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const pipeline = openPipeline(commandContext().config)
      try {
        const rejects = await pipeline.reader.raw.rejects(limit)
        if (json) for (const reject of rejects) console.log(JSON.stringify(reject))
        else console.log(renderTable(COLUMNS, rejects, terminal()))
      } finally {
        await pipeline.close()
      }
    })
}

const COLUMNS = [
  { title: 'id', value: ({ id }: Reject) => id, importance: 5 },
  { title: 'rejected', value: ({ rejectedAt }: Reject) => new Date(rejectedAt).toISOString(), importance: 6 },
  { title: 'reason', value: ({ reason }: Reject) => reason, importance: 9 },
  { title: 'event', value: ({ raw }: Reject) => raw, importance: 8 },
]
