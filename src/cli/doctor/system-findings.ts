import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type Finding, fault, ok } from '../../base/finding.ts'
import { millisecondsInDay } from '../../base/time.ts'
import { RUNTIME_ZONES, releasedAbout } from '../../base/zone-clock.ts'
import type { Config } from '../../config/config.ts'

/** The last release line that is past its end of life. */
const OLD_NODE = 20

/** Enough for connections, the store with its log, threads, and some room for clients. */
const ENOUGH_OPEN_FILES = 1024

/** Checks the system that the process runs on and, given settings, whether they fit it. */
export const systemFindings = (config?: Config): Finding[] => [
  nodeFinding(),
  timeZoneFinding(RUNTIME_ZONES.version, Date.now()),
  openFilesFinding(),
  ...(config ? [threadsFinding(config)] : []),
]

function nodeFinding(): Finding {
  const check = 'system node'
  const major = Number(process.versions.node.split('.')[0])
  if (major > OLD_NODE) return ok(check, process.version)
  return fault(check, 'warning', `${process.version} is past its end of life`, 'use Node.js 22 or newer')
}

/** Governments change clocks several times a year, so older data gives wrong days in some zones. */
const ZONE_DATA_YEARS = 2

/** Checks the age of the time zone data. @param version its release, such as `2025c`. @param now epoch ms. */
export function timeZoneFinding(version: string, now: number): Finding {
  const check = 'system time zone data'
  const releasedAt = releasedAbout(version)
  if (releasedAt === null) return fault(check, 'unknown', 'this runtime does not report its version', null)
  if (now - releasedAt < ZONE_DATA_YEARS * 366 * millisecondsInDay) return ok(check, version)
  return fault(check, 'warning', `${version} is older than ${ZONE_DATA_YEARS} years`, 'use a newer Node.js')
}

function openFilesFinding(): Finding {
  const check = 'system open files'
  const limit = openFilesLimit()
  if (limit === null) return fault(check, 'unknown', 'the limit of open files cannot be read here', null)
  const message = `up to ${limit === Number.POSITIVE_INFINITY ? 'any number' : limit}`
  if (limit >= ENOUGH_OPEN_FILES) return ok(check, message)
  return fault(check, 'warning', message, `raise it to ${ENOUGH_OPEN_FILES} or more (ulimit -n, LimitNOFILE=)`)
}

/** Returns the limit of open files, or null. Node.js raises the soft limit to the hard one when it starts. */
function openFilesLimit(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    if (soft === undefined) return null
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return null // Not Linux.
  }
}

function threadsFinding({ threads }: Config): Finding {
  const check = 'system threads'
  const cores = availableParallelism()
  const message = `${threads} for rollups, on ${cores} cores`
  if (threads <= cores) return ok(check, message)
  return fault(check, 'warning', message, 'set COOLER_THREADS to the number of cores, or leave it out')
}
