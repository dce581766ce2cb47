import type { MetricName } from '../../base/metrics.ts'
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
