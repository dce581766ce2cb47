import { resolve } from 'node:path'
import type { Command } from 'commander'
import { CoolerError } from '../base/errors.ts'
import { type Finding, fault, ok } from '../base/finding.ts'
import { type Config, givenSettings, readConfig } from '../config/config.ts'
import { type CheckDepth, isPostgres } from '../store/open-store.ts'
import { checkDatabase } from './doctor/database-findings.ts'
import { moveFindings } from './doctor/move-findings.ts'
import { replicaFindings } from './doctor/replica-findings.ts'
import { checkStore, partsFinding } from './doctor/store-findings.ts'
import { systemFindings } from './doctor/system-findings.ts'
import { workFindings } from './doctor/work-findings.ts'

/** Adds the command `doctor`. */
export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('look for what is wrong, or will be: settings, store, work that is due, Redis and its queue, system')
    .option('--no-integrity', 'do not read through the whole store for damage')
    .option('--deep', 'check every part of the store: rollups, raw events and states by their checksums')
    .option('--json', 'one JSON object a line')
    .action(async ({ integrity, deep, json }: { integrity: boolean; deep?: boolean; json?: boolean }) => {
      const findings = await examine(integrity ? 'quick' : 'none', deep === true)
      for (const finding of findings) console.log(json ? JSON.stringify(finding) : line(finding))
      const failures = findings.filter(({ severity }) => severity === 'failure').length
      if (failures > 0) throw new Error(`${failures} of ${findings.length} checks failed`)
    })
}

async function examine(depth: CheckDepth, deep: boolean): Promise<Finding[]> {
  const config = settings()
  if ('severity' in config) return [config, ...systemFindings()]
  const { store, redisUrl, backlogLimit } = config
  const { findings, isReadable } = isPostgres(store) ? await checkDatabase(store) : checkStore(resolve(store), depth)
  const moves = isReadable ? await moveFindings(config) : []
  const isUsed = isReadable && moves.length === 0
  return [
    ok('settings', sourceOf(givenSettings())),
    ...findings,
    ...moves,
    ...(isUsed && deep ? [await partsFinding(store)] : []),
    ...(isUsed ? await replicaFindings(config) : []),
    ...(isUsed ? await workFindings(config) : []),
    ...(redisUrl === null
      ? [ok('redis', 'REDIS_URL is not set: no queue is looked at')]
      : await redisFindings(redisUrl, backlogLimit)),
    ...systemFindings(config),
  ]
}

/** Names the settings from the environment, because a service may run with other settings than the shell of doctor. */
const sourceOf = (names: readonly string[]): string =>
  `all are good; ${names.length === 0 ? 'no setting is' : `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'}`}` +
  ' from the environment of this command, all others are defaults'

async function redisFindings(redis: string, backlogLimit: number): Promise<Finding[]> {
  // Imported here because most commands need no queue, and start in half the time without its library.
  const { checkRedis } = await import('../queue/check-redis.ts')
  return checkRedis({ redis, backlogLimit })
}

function settings(): Config | Finding {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof CoolerError)) throw error
    return fault('settings', 'failure', error.message, 'no command starts until this is corrected')
  }
}

const CHECK_WIDTH = 24

const line = ({ check, severity, message, advice }: Finding): string =>
  `${severity.padEnd(8)} ${check.padEnd(CHECK_WIDTH)} ${message}${advice === null ? '' : `\n${' '.repeat(9)}-> ${advice}`}`
