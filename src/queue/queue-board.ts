import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join, normalize } from 'node:path'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app'
import { Queue } from 'bullmq'
import { CoolerError } from '../base/errors.ts'
import { escapeHtml } from '../base/html.ts'
import type { BoardAnswer, BoardRequest, QueueBoard } from './board.ts'
import { closedOrStuck } from './closed-or-stuck.ts'
import { firstConnection } from './first-connection.ts'
import { PRODUCER_QUEUE_OPTIONS, queuesOn } from './queue-contract.ts'
import { connectProducer, onConnectionError, type RedisSource } from './redis-client.ts'
import { shortened } from './shortened.ts'

/**
 * Changes that the board allows. Batches are acknowledged, so they cannot be deleted, emptied or rewritten here; jobs
 * that failed for good disappear after 14 days. Schedules cannot be changed, because the program would restore them.
 */
const ALLOWED_CHANGES = [
  '/api/queues/pause',
  '/api/queues/resume',
  '/api/queues/:queueName/pause',
  '/api/queues/:queueName/resume',
  '/api/queues/:queueName/promote',
  '/api/queues/:queueName/retry/:queueStatus',
  '/api/queues/:queueName/:jobId/promote',
  '/api/queues/:queueName/:jobId/retry',
]

const FOLDER = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'))

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

export interface QueueBoardOptions {
  redis: RedisSource
  /** Names of the queues, in the order in which they are shown. */
  names: readonly string[]
  onError: (error: Error) => void
}

/**
 * Opens bull-board for these queues, on a connection of its own. It uses our own server adapter: the one for Fastify
 * needs a newer Node.js than we do, and three more packages.
 */
export async function openQueueBoard({ redis, names, onError }: QueueBoardOptions): Promise<QueueBoard> {
  const connection = connectProducer(redis)
  onConnectionError(connection, onError)
  const queues = names.map(
    (name) => new Queue(name, { ...PRODUCER_QUEUE_OPTIONS, skipMetasUpdate: true, ...queuesOn(connection) }),
  )
  for (const queue of queues) queue.on('error', onError)
  const board = new Board()
  createBullBoard({
    queues: queues.map((queue) => {
      const adapter = new BullMQAdapter(queue)
      adapter.setFormatter('data', shortened)
      return adapter
    }),
    serverAdapter: board,
    options: {
      uiBasePath: FOLDER,
      uiConfig: { boardTitle: 'cooler-reports' },
      handlerHooks: {
        before: async ({ method, route }) => ({
          allow: method === 'get' || ALLOWED_CHANGES.includes(route),
          message: 'batches are not deleted, made or changed here',
        }),
      },
    },
  })
  await firstConnection(connection)
  return {
    answer(request) {
      if (connection.status !== 'ready')
        throw new CoolerError('queue-unavailable', 'Redis cannot be reached: try again')
      return board.answer(request)
    },
    async close() {
      await closedOrStuck(Promise.all(queues.map((queue) => queue.close())), connection)
      connection.disconnect()
    },
  }
}

/** The server adapter of bull-board: keeps the routes that bull-board registers, and answers requests with them. */
class Board implements IServerAdapter {
  #queues: BullBoardQueues = new Map()
  #uiConfig: UIConfig = {}
  #entry: AppViewRoute | null = null
  #onError: (error: Error) => ControllerHandlerReturnType = (error) => ({ status: 500, body: error.message })
  #routes: { methods: readonly string[]; path: RegExp; handler: AppControllerRoute['handler'] }[] = []

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues
    return this
  }

  setUIConfig(config: UIConfig): this {
    this.#uiConfig = config
    return this
  }

  setEntryRoute(entry: AppViewRoute): this {
    this.#entry = entry
    return this
  }

  setErrorHandler(onError: (error: Error) => ControllerHandlerReturnType): this {
    this.#onError = onError
    return this
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.#routes = routes.flatMap(({ method, route, handler }) =>
      [route].flat().map((path) => ({ methods: [method].flat(), path: patternOf(path), handler })),
    )
    return this
  }

  // Not needed, because the folder is known.
  setViewsPath(): this {
    return this
  }

  setStaticPath(): this {
    return this
  }

  /** Answers a request; null if there is nothing at its path. */
  async answer(request: BoardRequest): Promise<BoardAnswer | null> {
    const { method, path } = request
    if (path.startsWith('/static/')) return method === 'GET' ? fileAt(path) : null
    if (path.startsWith('/api/')) return this.#call(request)
    const isPage = [this.#entry?.route ?? []].flat().some((route) => patternOf(route).test(path))
    return isPage && method === 'GET' ? this.#page() : null
  }

  async #call({ method, path, query, body }: BoardRequest): Promise<BoardAnswer | null> {
    for (const { methods, path: pattern, handler } of this.#routes) {
      const found = pattern.exec(path)
      if (found === null || !methods.includes(method.toLowerCase())) continue
      const params = { ...found.groups }
      const asked = { queues: this.#queues, uiConfig: this.#uiConfig, query, params, body, headers: {} }
      const { status = 200, body: answered } = await this.#answerOf(() => handler(asked))
      const text = typeof answered === 'string' ? answered : JSON.stringify(answered)
      return { status, type: 'application/json; charset=utf-8', body: text }
    }
    return null
  }

  async #answerOf(work: () => ReturnType<AppControllerRoute['handler']>): Promise<ControllerHandlerReturnType> {
    try {
      return await work()
    } catch (error) {
      return this.#onError(error as Error)
    }
  }

  async #page(): Promise<BoardAnswer> {
    const { params } = this.#entry?.handler({ basePath: '/queues', uiConfig: this.#uiConfig }) ?? { params: {} }
    const template = await readFile(join(FOLDER, 'dist/index.ejs'), 'utf8')
    return { status: 200, type: 'text/html; charset=utf-8', body: filled(template, params) }
  }
}

/** Returns a pattern for a route such as `/api/queues/:queueName`, with a named group for each parameter. */
const patternOf = (route: string): RegExp => new RegExp(`^${route.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)

/**
 * Links to the other pages of the service, below the board, which fills the window. The board could show links itself,
 * but only in a menu that nobody looks into for them.
 */
const LINKS = `<style>
.pages { position: fixed; right: 0; bottom: 0; z-index: 10; display: flex; padding: 0 .5rem; background: #0a6379;
  border-top-left-radius: 8px; font: 14px/40px system-ui, sans-serif }
.pages a { padding: 0 .6rem; color: #fff }
#root { padding-bottom: 48px }
</style>
<nav class="pages" aria-label="Pages of this service"><a href="/">Dashboard</a><a href="/docs">API</a></nav>
`

/**
 * Fills in the template, which contains only parameter names, leaves out fonts from other hosts, and adds the links to
 * the other pages.
 */
function filled(template: string, params: Readonly<Record<string, string>>): string {
  return template
    .replace(/<link [^>]*fonts\.googleapis\.com[^>]*>/g, '')
    .replace('</body>', () => `${LINKS}</body>`)
    .replace(/<%([-=]) (\w+) %>/g, (_, kind: string, name: string) =>
      kind === '-' ? params[name] : escapeHtml(params[name]),
    )
}

/** Returns a static file of the page; null if there is no such file. */
async function fileAt(path: string): Promise<BoardAnswer | null> {
  const type = TYPES[extname(path)]
  // A path that leads out of the folder changes when it is normalised.
  if (type === undefined || normalize(path) !== path) return null
  try {
    return { status: 200, type, body: await readFile(join(FOLDER, 'dist', path)) }
  } catch {
    return null
  }
}
