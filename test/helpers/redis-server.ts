import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A redis-server of our own on a unix socket. */
export interface RedisServer {
  readonly socket: string
  /** Sends the signal; resolves when the process has ended. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** SIGSTOP: it keeps its connections, takes new ones and answers none, until `wake`. */
  freeze(): void
  wake(): void
  /** Starts it again after a kill, on the same socket and with the data that its append-only file holds. */
  restart(): Promise<void>
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

export interface RedisServerOptions {
  /** Every acknowledged write is on disk (AOF, always). Otherwise nothing is. */
  durable?: boolean
  /** Further settings. */
  settings?: Readonly<Record<string, string>>
  /** Makes it a Sentinel with this configuration, which it rewrites. */
  sentinel?: string
}

/** Starts a redis-server; resolves when it answers. */
export async function startRedisServer({
  durable = false,
  settings = {},
  sentinel,
}: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-redis-'))
  const socket = join(folder, 'r.sock')
  const options = {
    port: '0',
    unixsocket: socket,
    dir: folder,
    save: '',
    appendonly: durable ? 'yes' : 'no',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    ...settings,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  if (sentinel !== undefined) {
    const file = join(folder, 'sentinel.conf')
    writeFileSync(file, sentinel)
    args.unshift(file, '--sentinel')
  }
  let child: ChildProcess

  const start = async (): Promise<void> => {
    child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    process.once('exit', killed(child))
    await answersPing(child, socket)
  }
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    child.kill('SIGCONT') // A frozen process takes no other signal than SIGKILL before it is woken.
    await exit
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true })

  try {
    await start()
  } catch (error) {
    remove()
    throw error
  }
  return {
    socket,
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    restart: start,
    stop: () => kill('SIGTERM').finally(remove),
  }
}

/** Should this process end before it has stopped the child. */
function killed(child: ChildProcess): () => void {
  const kill = (): void => void child.kill('SIGKILL')
  child.once('exit', () => process.off('exit', kill))
  return kill
}

/** Asks after each line of the log, the last of which says that it is ready: nothing is waited for blindly. */
async function answersPing(child: ChildProcess, socket: string): Promise<void> {
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`redis-server ended (${code ?? signal}) with: ${log}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      ping(socket).then((answered) => answered && resolve(), reject)
    })
  })
  child.stdout?.removeAllListeners('data').resume()
  child.removeAllListeners('error').on('error', () => {}) // A signal to a process that has just ended is no fault.
}

async function ping(path: string): Promise<boolean> {
  const client = connect({ path })
  try {
    client.write('PING\r\n')
    const [answer] = await once(client, 'data')
    return String(answer).startsWith('+PONG')
  } catch {
    return false
  } finally {
    client.destroy()
  }
}
