import { type Finding, fault, ok } from '../base/finding.ts'
import { FULL_MEMORY_SHARE, type RedisState } from './redis-state.ts'

/** The oldest Redis version that BullMQ runs on, and the oldest one on which it runs well. */
const LEAST_VERSION = [5, 0]
const GOOD_VERSION = [6, 2]

const MUCH_MEMORY_SHARE = 0.6

/** Largest harmless difference between clocks. Schedules and delays are computed with the workers' clocks. */
const CLOCK_TOLERANCE_MS = 5000

/**
 * Reports whether a Redis keeps what it has acknowledged, and will go on doing so: one finding for each setting. Of a
 * Redis of another kind than its URL says, only that is reported.
 */
export const redisFindings = (state: RedisState): Finding[] =>
  isRightKind(state) ? settingsFindings(state) : [kindFinding(state)]

const settingsFindings = (state: RedisState): Finding[] => [
  versionFinding(state),
  kindFinding(state),
  ...failoverFindings(state),
  policyFinding(state),
  persistenceFinding(state),
  diskFinding(state),
  memoryFinding(state),
  clockFinding(state),
]

function versionFinding({ version }: RedisState): Finding {
  const check = 'redis version'
  if (version === null) return fault(check, 'unknown', 'Redis does not tell its version', 'allow INFO')
  if (isBelow(version, LEAST_VERSION))
    return fault(check, 'failure', `Redis ${version} is too old for the queue`, 'use Redis 6.2 or newer')
  if (isBelow(version, GOOD_VERSION))
    return fault(check, 'warning', `Redis ${version} lacks what the queue does best with`, 'use Redis 6.2 or newer')
  return ok(check, version)
}

function isBelow(version: string, [major, minor]: readonly number[]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}

/** Tells whether a Redis is of the kind that its URL says: a Sentinel and a node of a cluster are addressed as such. */
export const isRightKind = ({ mode, topology }: RedisState): boolean =>
  mode !== 'sentinel' && (mode !== 'cluster' || topology === 'cluster')

function kindFinding({ topology, node, mode, role }: RedisState): Finding {
  const check = 'redis kind'
  if (mode === 'sentinel')
    return fault(check, 'failure', 'a Sentinel holds no queue', 'set REDIS_URL to redis+sentinel://HOST:PORT/NAME')
  if (mode === 'cluster' && topology !== 'cluster')
    return fault(check, 'failure', 'this is a node of a Redis Cluster', 'write redis+cluster:// in REDIS_URL')
  if (role === 'slave') {
    const advice = 'name the master in REDIS_URL, or its Sentinels by redis+sentinel://'
    return fault(check, 'failure', 'a replica takes no writes', advice)
  }
  if (role === null) return fault(check, 'unknown', 'Redis does not tell its role', 'allow INFO')
  return ok(check, topology === 'server' ? role : `${role} ${node} holds the queue`)
}

/** Reports whether another server can take over, where there is somebody to appoint it. */
function failoverFindings({ topology, node, replicas }: RedisState): Finding[] {
  const check = 'redis failover'
  if (topology === 'server') return []
  if (replicas === null) return [fault(check, 'unknown', `${node} does not tell its replicas`, 'allow INFO')]
  if (replicas === 0)
    return [fault(check, 'warning', `${node} has no replica: none takes over when it ends`, 'add a replica')]
  const count = replicas === 1 ? '1 replica' : `${replicas} replicas`
  return [ok(check, `${node} has ${count}; a failover can lose batches that were acknowledged just before`)]
}

function policyFinding({ maxmemoryPolicy, memoryLimitBytes }: RedisState): Finding {
  const check = 'redis maxmemory-policy'
  const advice = 'set maxmemory-policy noeviction'
  if (maxmemoryPolicy === null)
    return fault(check, 'unknown', 'Redis does not tell what it does when it is full', advice)
  if (maxmemoryPolicy === 'noeviction') return ok(check, maxmemoryPolicy)
  const when = memoryLimitBytes === 0 ? 'as soon as it is given a limit of memory' : 'when it is full'
  const severity = memoryLimitBytes === 0 ? 'warning' : 'failure'
  return fault(check, severity, `${maxmemoryPolicy}: Redis throws acknowledged batches away ${when}`, advice)
}

function persistenceFinding({ appendOnly, appendFsync, replicas }: RedisState): Finding {
  const check = 'redis persistence'
  const advice = 'set appendonly yes, and appendfsync always (or everysec, where a second may be lost)'
  if (appendOnly === null) return fault(check, 'unknown', 'Redis does not tell whether it keeps anything', advice)
  if (!appendOnly) {
    const lost = 'no append-only file: when Redis ends, acknowledged batches are lost'
    // Snapshots do not help: batches acknowledged after the last snapshot are lost.
    if ((replicas ?? 0) > 0) return fault(check, 'warning', `${lost}, unless a replica takes over`, advice)
    return fault(check, 'failure', lost, advice)
  }
  if (appendFsync === null)
    return fault(check, 'unknown', 'an append-only file, but Redis does not tell when it is on disk', advice)
  if (appendFsync === 'no')
    return fault(
      check,
      'failure',
      'appendfsync no: a power cut loses what was acknowledged in the last half minute',
      advice,
    )
  return ok(
    check,
    appendFsync === 'always' ? 'appendfsync always' : `appendfsync ${appendFsync}: a power cut may cost a second`,
  )
}

function diskFinding({ failedWrites }: RedisState): Finding {
  const check = 'redis disk'
  if (failedWrites.length === 0) return ok(check, 'no write has failed')
  return fault(
    check,
    'failure',
    `Redis could not write its ${failedWrites.join(' and ')}: it may refuse batches`,
    'make room on the disk of Redis; its log tells more',
  )
}

function memoryFinding({ memoryUsedBytes, memoryLimitBytes }: RedisState): Finding {
  const check = 'redis memory'
  if (memoryUsedBytes === null || memoryLimitBytes === null)
    return fault(check, 'unknown', 'Redis does not tell how much memory it uses', 'allow INFO')
  const used = `${mebibytes(memoryUsedBytes)} MiB used`
  if (memoryLimitBytes === 0)
    return fault(check, 'warning', `${used}, without a limit`, 'set maxmemory to what the machine can spare')
  const share = memoryUsedBytes / memoryLimitBytes
  const message = `${used} of ${mebibytes(memoryLimitBytes)} MiB`
  const advice = 'run more workers, give Redis more memory, or lower COOLER_BACKLOG_LIMIT'
  if (share > FULL_MEMORY_SHARE) return fault(check, 'failure', `${message}: batches are refused`, advice)
  return share > MUCH_MEMORY_SHARE ? fault(check, 'warning', message, advice) : ok(check, message)
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)

function clockFinding({ clockAheadMs }: RedisState): Finding {
  const check = 'redis clock'
  if (clockAheadMs === null) return fault(check, 'unknown', 'Redis does not tell its time', 'allow TIME')
  const message = `${Math.abs(clockAheadMs)} ms ${clockAheadMs < 0 ? 'behind' : 'ahead of'} the clock here`
  if (Math.abs(clockAheadMs) <= CLOCK_TOLERANCE_MS) return ok(check, message)
  return fault(check, 'warning', message, 'let both machines keep time by NTP')
}
