import { lagSeconds } from '../base/metrics.ts'
import { instantOrNull } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { Queues } from '../queue/queues.ts'
import { lastClosing } from '../rollup/closing-times.ts'
import type { Status } from '../web/api/status-routes.ts'
import { readStoreState } from './measured.ts'
import type { Pipeline } from './pipeline.ts'

/** Returns the status of a service. @throws CoolerError if its store or its queue cannot be used */
export async function statusOf(config: Config, pipeline: Pipeline, queues: Queues | null): Promise<Status> {
  const [status, server] = await Promise.all([
    pipelineStatusOf(config, pipeline, queues),
    pipeline.reader.health.server(),
  ])
  return { ...status, server }
}

/** Returns the status without the state of the server, which a readiness probe need not ask for. */
export async function pipelineStatusOf(
  { rollupAtMinute }: Config,
  pipeline: Pipeline,
  queues: Queues | null,
): Promise<Omit<Status, 'server'>> {
  await pipeline.reader.health.requireUsable()
  const figures = await readStoreState(pipeline)
  const { lastRollupAt, oldestDueAt, messages, ...counts } = figures
  return {
    queue: queues === null ? null : await queues.counts(),
    ...counts,
    messages: { ...messages, oldestAt: instantOrNull(messages.oldestAt) },
    oldestDueAt: instantOrNull(oldestDueAt),
    lagSeconds: lagSeconds(figures, pipeline.now()),
    lastRollupAt: instantOrNull(lastRollupAt),
    lastCloseAt: instantOrNull(lastRollupAt === null ? null : lastClosing(lastRollupAt, rollupAtMinute)),
  }
}
