/** Start of the error's message when no node of a cluster can be reached. */
export const CLUSTER_AWAY = 'no node of the Redis Cluster answers'

/** Start of the error's message when no Sentinel answers, or none knows the master. */
export const MASTER_UNKNOWN = 'no Sentinel tells the master'
