import { type Finding, fault, ok } from '../../base/finding.ts'
import type { DatabaseFacts } from '../../store/open-store.ts'
import { MOST_LAG_SECONDS } from './database-limits.ts'

const CHECK = 'store replication'
/** The server keeps the log for a slot until its disk is full. */
const MUCH_LOG_BYTES = 2 ** 30

/** Checks that a commit is on another machine before it is acknowledged, and that nothing fills the disk for nobody. */
export const replicationFindings = (facts: DatabaseFacts): Finding[] => [standbyFinding(facts), ...slotFindings(facts)]

function standbyFinding({ replication, seesSessions }: DatabaseFacts): Finding {
  const { replicas, synchronousReplicas, lagSeconds, standbyNames, synchronousCommit } = replication
  if (replicas === 0 && standbyNames !== '') {
    const message = `commits wait for a standby (synchronous_standby_names = ${standbyNames}), and none is connected`
    return fault(CHECK, 'failure', message, 'start the standby, or take it off synchronous_standby_names')
  }
  if (replicas === 0) {
    const message = 'no standby is connected: a machine that is lost takes acknowledged events with it'
    return fault(CHECK, 'warning', message, 'add a synchronous standby, unless the provider keeps copies of the disk')
  }
  const connected = `${replicas} ${replicas === 1 ? 'standby' : 'standbys'}`
  if (standbyNames === '') {
    const message = `${connected}, for which no commit waits: a failover loses acknowledged events`
    return fault(CHECK, 'warning', message, 'set synchronous_standby_names')
  }
  if (['off', 'local'].includes(synchronousCommit)) {
    const message = `${connected}, for which no commit waits: synchronous_commit is ${synchronousCommit} for our role`
    return fault(CHECK, 'warning', message, 'set synchronous_commit to on')
  }
  if (!seesSessions) {
    const message = `${connected}; which of them commits wait for, and how far they are behind, is hidden from our role`
    return fault(CHECK, 'unknown', message, 'grant our role pg_monitor')
  }
  if (synchronousReplicas === 0) {
    const message = `${connected}, but none that synchronous_standby_names (${standbyNames}) names: commits wait for it`
    return fault(CHECK, 'failure', message, 'start the standby that is named, or correct the setting')
  }
  const lag = (lagSeconds ?? 0).toFixed(1)
  const message = `${connected}, of which commits wait for ${synchronousReplicas}; ${lag} s behind at most`
  if ((lagSeconds ?? 0) <= MOST_LAG_SECONDS) return ok(CHECK, message)
  return fault(CHECK, 'warning', message, 'look at the disk and the network of the standby')
}

function slotFindings({ replication: { idleSlots } }: DatabaseFacts): Finding[] {
  return idleSlots
    .filter(({ keptBytes }) => keptBytes > MUCH_LOG_BYTES)
    .map(({ name, keptBytes }) => {
      const gibibytes = (keptBytes / 2 ** 30).toFixed(1)
      const message = `nobody uses the slot ${name}, for which the server keeps ${gibibytes} GiB of its log`
      return fault(
        'store slot',
        'warning',
        message,
        'start its standby again, or drop the slot before the disk is full',
      )
    })
}
