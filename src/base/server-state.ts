/** The state of the database server that holds a store. */
export interface ServerState {
  /** Standbys that stream from the server. */
  replicas: number
  /** Standbys that commits wait for; null if the role may not see it. */
  synchronousReplicas: number | null
  /** How far the slowest standby is behind, 0 without one; null if the role may not see it. */
  replicationLagSeconds: number | null
  /** Age of the oldest transaction, 0 without one; null if the role may not see those of others. */
  oldestTransactionSeconds: number | null
  /** The number by which the dead rows of a table exceed its live ones, for the worst table; 0 if none has more. */
  excessDeadRows: number
  /** Whole days after today for which all partitions exist; -1 if one of today is missing. */
  partitionDaysAhead: number
}
