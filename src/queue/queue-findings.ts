import { type Finding, fault, ok } from '../base/finding.ts'
import { millisecondsInMinute } from '../base/time.ts'

/** The state of the telemetry queue. */
export interface QueueState {
  waiting: number
  failed: number
  /** Connected workers; null if Redis refuses to list them. */
  workers: number | null
  /** How long the first job in line has waited. */
  oldestWaitingMs: number
  lastFailedReason: string | null
  /** Ids of failed jobs that no worker could read, newest first. */
  malformed?: string[]
}

const LONG_WAIT_MS = 10 * millisecondsInMinute

/** Reports whether batches leave the queue as fast as they enter it, and whether all of them land. */
export const queueFindings = (state: QueueState, backlogLimit: number): Finding[] => [
  backlogFinding(state, backlogLimit),
  workersFinding(state),
  failedFinding(state),
  malformedFinding(state),
]

function backlogFinding({ waiting, oldestWaitingMs }: QueueState, backlogLimit: number): Finding {
  const check = 'queue backlog'
  const minutes = Math.round(oldestWaitingMs / millisecondsInMinute)
  const message = `${waiting} of at most ${backlogLimit} batches wait${waiting > 0 ? `, the first for ${minutes} min` : ''}`
  const advice = 'run more workers, or find out why they do not land: their log tells'
  if (waiting >= backlogLimit) return fault(check, 'failure', `${message}: further ones are refused`, advice)
  const isBehind = waiting > backlogLimit / 2 || oldestWaitingMs > LONG_WAIT_MS
  return isBehind ? fault(check, 'warning', message, advice) : ok(check, message)
}

function workersFinding({ workers, waiting }: QueueState): Finding {
  const check = 'queue workers'
  if (workers === null) return fault(check, 'unknown', 'Redis does not tell who is connected', 'allow CLIENT LIST')
  if (workers > 0) return ok(check, `${workers} connected`)
  const advice = 'run `cooler work`, or `cooler start`'
  return fault(check, waiting > 0 ? 'failure' : 'warning', 'no worker is connected: nothing lands', advice)
}

function failedFinding({ failed, lastFailedReason }: QueueState): Finding {
  const check = 'queue failed batches'
  if (failed === 0) return ok(check, 'none')
  const reason = lastFailedReason === null ? '' : `; the last: ${lastFailedReason.slice(0, 300)}`
  const advice = 'what is no batch can be removed; retry the others with any BullMQ tool, within 14 days'
  return fault(check, 'warning', `${failed} have not landed${reason}`, advice)
}

/** Most ids named in a message. */
const MOST_NAMED = 5

function malformedFinding({ malformed = [] }: QueueState): Finding {
  const check = 'queue malformed jobs'
  if (malformed.length === 0) return ok(check, 'none')
  const named = malformed.slice(0, MOST_NAMED).map((id) => `job ${id}`)
  const more = malformed.length > MOST_NAMED ? [`${malformed.length - MOST_NAMED} more`] : []
  return fault(
    check,
    'warning',
    `${[...named, ...more].join(', ')}: no worker could read the fields of these jobs`,
    'correct the producer that wrote them; /queues shows the text of each among the failed jobs',
  )
}
