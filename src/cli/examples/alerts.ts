import type { MetricName } from '../../base/metrics.ts'
import {
  LEAST_DAYS_AHEAD,
  MANY_DEAD_ROWS,
  MOST_LAG_SECONDS,
  OLD_TRANSACTION_SECONDS,
} from '../doctor/database-limits.ts'
import { DOCTOR_OF_UNIT } from './system.ts'

interface Alert {
  name: string
  expression: string
  /** How long the expression must hold. */
  forMinutes: number
  severity: 'critical' | 'warning'
  summary: string
  action: string
}

/** Returns the name of a metric, which the compiler checks. */
const metric = (name: MetricName, suffix: '' | '_bucket' | '_sum' | '_count' = ''): string => `${name}${suffix}`

export const ALERTS: readonly Alert[] = [
  {
    name: 'CoolerReportsDown',
    expression: 'up{job="cooler-reports"} == 0',
    forMinutes: 2,
    severity: 'critical',
    summary: 'the service does not answer',
    action: 'look at its log: journalctl -u cooler-reports',
  },
  {
    name: 'CoolerPartUnreachable',
    expression: `${metric('cooler_part_up')} == 0`,
    forMinutes: 2,
    severity: 'critical',
    summary: 'the {{ $labels.part }} cannot be read',
    action: 'nothing is acknowledged meanwhile and nothing is lost; the log gives the reason',
  },
  {
    name: 'CoolerRollupBehind',
    expression: `${metric('cooler_rollup_lag_seconds')} > 3 * 900`,
    forMinutes: 5,
    severity: 'warning',
    summary: 'events have landed, and the last rollup was {{ $value | humanizeDuration }} ago',
    action: 'look for "job failed" in the log; what is due stays due: cooler rollup does it now',
  },
  {
    name: 'CoolerQueueFilling',
    expression: `${metric('cooler_queue_jobs')}{state="waiting"} > 5000`,
    forMinutes: 10,
    severity: 'warning',
    summary: '{{ $value }} batches wait in the queue',
    action: 'run more workers (cooler work), or find out why they are slow',
  },
  {
    name: 'CoolerBatchesFailed',
    expression: `${metric('cooler_queue_jobs')}{state="failed"} > 0`,
    forMinutes: 0,
    severity: 'warning',
    summary: '{{ $value }} batches failed, and are kept for 14 days',
    action: 'their failedReason says why; mend what sends them and retry them',
  },
  {
    name: 'CoolerEventsRejected',
    expression: `sum by (reason) (increase(${metric('cooler_events_rejected_total')}[1h])) > 100`,
    forMinutes: 0,
    severity: 'warning',
    summary: '{{ $value | humanize }} events in an hour were rejected: {{ $labels.reason }}',
    action: 'cooler rejects shows them; once their cause is mended: cooler rejects --replay',
  },
  {
    name: 'CoolerMessagesLate',
    expression: `${metric('cooler_oldest_message_seconds')} > 3600`,
    forMinutes: 5,
    severity: 'warning',
    summary: 'a message of a subscription has waited for {{ $value | humanizeDuration }}',
    action: 'the dashboard (Messages) tells why; it is tried again for about a day',
  },
  {
    name: 'CoolerMessagesFailed',
    expression: `${metric('cooler_messages_failed')} > 0`,
    forMinutes: 0,
    severity: 'warning',
    summary: '{{ $value }} messages of subscriptions were given up',
    action: 'the dashboard (Messages) tells why; mend that and retry them',
  },
  {
    name: 'CoolerNothingLands',
    expression: `increase(${metric('cooler_events_landed_total')}[1h]) == 0`,
    forMinutes: 60,
    severity: 'warning',
    summary: 'no event has landed for an hour',
    action: 'look at the producers, and at whether the clock of this machine is right',
  },
  {
    name: 'CoolerDiskFilling',
    expression: `${metric('cooler_store_free_bytes')} < 2 * ${metric('cooler_store_wal_bytes')} + 1e9`,
    forMinutes: 5,
    severity: 'critical',
    summary: '{{ $value | humanize1024 }}B are left for the store',
    action: 'make room, or lower COOLER_RAW_RETENTION_DAYS',
  },
  {
    name: 'CoolerCommitsSlow',
    expression: `histogram_quantile(0.99, sum by (le) (rate(${metric('cooler_commit_seconds', '_bucket')}[10m]))) > 1`,
    forMinutes: 10,
    severity: 'warning',
    summary: 'one commit in a hundred takes longer than {{ $value | humanizeDuration }}',
    action: 'the disk is slow or shared: an answer waits for it',
  },
  {
    name: 'CoolerStandbyLost',
    expression: `${metric('cooler_postgres_replicas')} == 0`,
    forMinutes: 2,
    severity: 'critical',
    summary: 'no standby of PostgreSQL is connected',
    action: 'start it again: commits may wait for it, and without it a lost machine takes acknowledged events with it',
  },
  {
    name: 'CoolerStandbyAsynchronous',
    expression: `${metric('cooler_postgres_synchronous_replicas')} == 0 and ${metric('cooler_postgres_replicas')} > 0`,
    forMinutes: 2,
    severity: 'critical',
    summary: 'no standby of PostgreSQL is synchronous: a failover loses acknowledged events',
    action: 'set synchronous_standby_names to a standby that is connected',
  },
  {
    name: 'CoolerStandbyBehind',
    expression: `${metric('cooler_postgres_replication_lag_seconds')} > ${MOST_LAG_SECONDS}`,
    forMinutes: 5,
    severity: 'warning',
    summary: 'a standby of PostgreSQL is {{ $value | humanizeDuration }} behind',
    action: 'look at its disk and its network, and at what it is asked for',
  },
  {
    name: 'CoolerOldTransaction',
    expression: `${metric('cooler_postgres_oldest_transaction_seconds')} > ${OLD_TRANSACTION_SECONDS}`,
    forMinutes: 0,
    severity: 'warning',
    summary: 'a transaction has been open for {{ $value | humanizeDuration }}: no dead rows are removed meanwhile',
    action: 'doctor names its process; end it by pg_terminate_backend unless it is a backup that must end by itself',
  },
  {
    name: 'CoolerVacuumBehind',
    expression: `${metric('cooler_postgres_excess_dead_rows')} > ${MANY_DEAD_ROWS}`,
    forMinutes: 30,
    severity: 'warning',
    summary: 'a table has {{ $value | humanize }} more dead rows than live ones',
    action: 'end old transactions; else give autovacuum more workers, or a shorter naptime',
  },
  {
    name: 'CoolerPartitionsMissing',
    expression: `${metric('cooler_postgres_partition_days_ahead')} < ${LEAST_DAYS_AHEAD}`,
    forMinutes: 120,
    severity: 'warning',
    summary: 'partitions exist for {{ $value }} days ahead only',
    action: 'look for failed compactions in the log, and for the right to create tables; landings make what they miss',
  },
]

/** Returns the rules in the format of Prometheus. JSON is valid YAML, and quotes everything that needs it. */
export function alertRules(): string {
  const rules = ALERTS.map(({ name, expression, forMinutes, severity, summary, action }) =>
    [
      `      - alert: ${name}`,
      `        expr: ${JSON.stringify(expression)}`,
      `        for: ${forMinutes}m`,
      `        labels: { severity: ${severity} }`,
      '        annotations:',
      `          summary: ${JSON.stringify(summary)}`,
      `          action: ${JSON.stringify(`${action}. To look at the service with its own settings: ${DOCTOR_OF_UNIT}`)}`,
    ].join('\n'),
  )
  return ['groups:', '  - name: cooler-reports', '    rules:', ...rules].join('\n')
}
