import type { Command } from 'commander'
import type { Logger } from 'pino'
import { apiKeysSetting } from '../config/config.ts'
import type { Service } from '../service/service.ts'
import { watchKeys } from '../service/watch-keys.ts'
import { shownLocation } from '../store/open-store.ts'
import { commandContext } from './context.ts'

/** Adds the commands `start`, `serve` and `work`, which run until they are stopped. */
export function serviceCommands(program: Command): void {
  const service = (name: string, description: string, roles: { api: boolean; work: boolean }): void => {
    program
      .command(name)
      .description(description)
      .action(() => runService(roles))
  }
  service('start', 'run everything in one process: the API, landing and rollups', { api: true, work: true })
  service('serve', 'run the API alone', { api: true, work: false })
  service('work', 'run the workers alone: they land what is in the queue and roll up what is due', {
    api: false,
    work: true,
  })
}

async function runService(roles: { api: boolean; work: boolean }): Promise<void> {
  const { config, logger } = commandContext()
  // Imported here: commands that only read a store need neither queue nor web server, and start in half the time.
  const { startService } = await import('../service/service.ts')
  const service = await startService({ config, logger, ...roles })
  logger.info(
    { url: service.url, store: shownLocation(config.store), queue: config.queue, work: roles.work },
    'started',
  )
  if (roles.api && config.apiKeys !== null) followKeys(service, logger)
  const failure = await Promise.race([service.broken, stopped(service, logger)])
  if (failure) {
    logger.fatal({ err: failure }, 'stopping: the store belongs to a newer program by now')
    await service.close()
  }
  logger.info('stopped')
  // Exits because clients of a Redis that is away keep trying to reach it. Nothing is left to wait for.
  process.exit(failure ? 1 : 0)
}

/** Reads the keys again when their file changes, and on SIGHUP. Without keys, SIGHUP keeps its default effect. */
function followKeys(service: Service, logger: Logger): void {
  const keys = watchKeys(apiKeysSetting(), (read) => service.setApiKeys(read), logger)
  process.on('SIGHUP', () => keys.reload())
}

/** Kills the process. `process.exit` would wait for threads, and one may be waiting for a store that stays locked. */
const killed = (): void => void process.kill(process.pid, 'SIGKILL')

/** Resolves when a first SIGTERM or SIGINT has stopped the service; a second signal ends the process at once. */
export function stopped(service: Service, logger: Logger, endAtOnce: () => void = killed): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false
    const stop = (signal: NodeJS.Signals): void => {
      if (stopping) {
        logger.warn({ signal }, 'stopped at once')
        endAtOnce()
        return
      }
      stopping = true
      logger.info({ signal }, 'stopping: finishing what is in hand')
      service.close().then(resolve, reject)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}
