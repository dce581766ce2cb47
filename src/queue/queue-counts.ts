/** Jobs of the telemetry queue by their state. */
export interface QueueCounts {
  waiting: number
  active: number
  delayed: number
  failed: number
}
