import type { MetricName } from '../../base/metrics.ts'

interface Panel {
  title: string
  unit: string
  /** Expressions and the names of their series. */
  series: readonly (readonly [expression: string, legend: string])[]
}

const rate = (name: MetricName, suffix = ''): string => `rate(${name}${suffix}[$__rate_interval])`

const quantiles = (name: MetricName): Panel['series'] =>
  [0.5, 0.95, 0.99].map((share) => [
    `histogram_quantile(${share}, sum by (le) (${rate(name, '_bucket')}))`,
    `${share * 100} %`,
  ])

const metric = (name: MetricName): string => name

export const PANELS: readonly Panel[] = [
  { title: 'Events landed', unit: 'cps', series: [[`sum(${rate('cooler_committed_events_total')})`, 'events/s']] },
  {
    title: 'Rejected events by reason',
    unit: 'cps',
    series: [[`sum by (reason) (${rate('cooler_events_rejected_total')})`, '{{reason}}']],
  },
  { title: 'Age of events when they land', unit: 's', series: quantiles('cooler_event_age_seconds') },
  {
    title: 'Behind: since the last rollup, and the oldest event that is due',
    unit: 's',
    series: [
      [metric('cooler_rollup_lag_seconds'), 'since the last rollup'],
      [metric('cooler_oldest_due_event_seconds'), 'oldest due event'],
    ],
  },
  {
    title: 'What is due',
    unit: 'short',
    series: [
      [metric('cooler_due_segments'), 'segments'],
      [metric('cooler_due_devices'), 'devices'],
      [metric('cooler_late_days'), 'late days'],
    ],
  },
  { title: 'Queue', unit: 'short', series: [[metric('cooler_queue_jobs'), '{{state}}']] },
  {
    title: 'Messages of subscriptions',
    unit: 'short',
    series: [
      [metric('cooler_messages_waiting'), 'waiting'],
      [metric('cooler_messages_failed'), 'given up'],
      [
        `sum by (outcome) (increase(${metric('cooler_messages_attempted_total')}[1h]))`,
        'attempts in an hour: {{outcome}}',
      ],
    ],
  },
  { title: 'Age of the oldest message', unit: 's', series: [[metric('cooler_oldest_message_seconds'), 'waiting']] },
  { title: 'Commits', unit: 's', series: quantiles('cooler_commit_seconds') },
  { title: 'Rollups', unit: 's', series: quantiles('cooler_rollup_seconds') },
  { title: 'Answers', unit: 's', series: quantiles('cooler_http_request_seconds') },
  {
    title: 'Requests by route',
    unit: 'reqps',
    series: [[`sum by (route, status) (${rate('cooler_http_request_seconds', '_count')})`, '{{route}} {{status}}']],
  },
  {
    title: 'Store',
    unit: 'bytes',
    series: [
      [metric('cooler_store_bytes'), 'file or database'],
      [metric('cooler_store_wal_bytes'), 'write-ahead log'],
      [metric('cooler_store_free_bytes'), 'free'],
    ],
  },
  {
    title: 'PostgreSQL standbys',
    unit: 'short',
    series: [
      [metric('cooler_postgres_replicas'), 'connected'],
      [metric('cooler_postgres_synchronous_replicas'), 'synchronous'],
    ],
  },
  {
    title: 'PostgreSQL: lag of standbys, and the oldest transaction',
    unit: 's',
    series: [
      [metric('cooler_postgres_replication_lag_seconds'), 'lag'],
      [metric('cooler_postgres_oldest_transaction_seconds'), 'oldest transaction'],
    ],
  },
  {
    title: 'PostgreSQL: dead rows beyond live ones',
    unit: 'short',
    series: [[metric('cooler_postgres_excess_dead_rows'), 'rows']],
  },
  {
    title: 'PostgreSQL: days ahead with partitions',
    unit: 'short',
    series: [[metric('cooler_postgres_partition_days_ahead'), 'days']],
  },
  {
    title: 'Connections cut',
    unit: 'reqps',
    series: [[`sum by (reason) (${rate('cooler_connections_cut_total')})`, '{{reason}}']],
  },
  {
    title: 'Process',
    unit: 'bytes',
    series: [['process_resident_memory_bytes', 'memory {{instance}}']],
  },
]

const COLUMNS = 2
const [WIDTH, HEIGHT] = [24 / COLUMNS, 8]

/** Returns a dashboard to import into Grafana, which then asks for its Prometheus. */
export function grafanaDashboard(): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts the chosen source in its place.
  const datasource = { type: 'prometheus', uid: '${DS_PROMETHEUS}' }
  const panels = PANELS.map(({ title, unit, series }, index) => ({
    id: index + 1,
    type: 'timeseries',
    title,
    datasource,
    gridPos: { x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: series.map(([expr, legendFormat], target) => ({
      refId: String.fromCharCode(65 + target),
      datasource,
      expr,
      legendFormat,
    })),
  }))
  const dashboard = {
    __inputs: [{ name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', pluginId: 'prometheus' }],
    title: 'cooler-reports',
    uid: 'cooler-reports',
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    timezone: 'browser',
    panels,
  }
  return JSON.stringify(dashboard, null, 2)
}
