/** What `doctor` and the alerts of Prometheus find too much, or too little, of a PostgreSQL server. */

/** Commits that wait for a standby are not behind it by much; reports of other standbys are old by so much. */
export const MOST_LAG_SECONDS = 60

/** A transaction that is open for longer keeps vacuum from removing rows of tables that change all the time. */
export const OLD_TRANSACTION_SECONDS = 600

/** Autovacuum begins at a fifth of the rows: more dead rows than live ones, by so many, are work left undone. */
export const MANY_DEAD_ROWS = 10_000

/** Days ahead whose partitions must exist. The upkeep makes one more, so that this many are left when it comes again. */
export const LEAST_DAYS_AHEAD = 7
