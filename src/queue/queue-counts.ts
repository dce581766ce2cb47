/** Number of jobs in the telemetry queue by state. */
export interface QueueCounts {
  waiting: number
  active: number
  delayed: number
  failed: number
}
