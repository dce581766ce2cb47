import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-store.ts'

export interface Broker {
  url: string
  /** Publishes messages with quality of service 1; resolves when the broker has taken all. */
  publish(topic: string, ...payloads: (string | Buffer)[]): Promise<void>
  /** Publishes a message that the broker keeps for those who subscribe later. */
  retain(topic: string, payload: string): Promise<void>
  kill(signal?: NodeJS.Signals): Promise<void>
  restart(): Promise<void>
  /** Stops it where it is, until it is killed. */
  stop(): void
  /** Has it write its state to disk soon. */
  save(): void
  /** The file that has its state. */
  database: string
}

/** A real MQTT broker on a free port of loopback, which keeps sessions and messages over a restart. */
export async function mosquitto(extra: readonly string[] = ['allow_anonymous true']): Promise<Broker> {
  const folder = temporaryFolder()
  const port = await freePort()
  const settings = [
    `listener ${port} 127.0.0.1`,
    ...extra,
    'persistence true',
    `persistence_location ${folder}/`,
    'autosave_interval 1',
    'autosave_on_changes true',
    'max_queued_messages 0',
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ]
  writeFileSync(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`)
  let child: ChildProcess
  let isRunning = false
  const start = async (): Promise<void> => {
    child = spawn('mosquitto', ['-c', join(folder, 'mosquitto.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`mosquitto ended with ${code}: ${log}`)))
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log += text
        if (log.includes('running')) resolve()
      })
    })
    child.removeAllListeners('exit')
    isRunning = true
  }
  const kill = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    isRunning = false
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  await start()
  onTestFinished(() => kill())
  const url = `mqtt://127.0.0.1:${port}`
  const publish = async (topic: string, payloads: readonly (string | Buffer)[], retain: boolean): Promise<void> => {
    const client = await connectAsync(url)
    await Promise.all(payloads.map((payload) => client.publishAsync(topic, payload, { qos: 1, retain })))
    await client.endAsync()
  }
  return {
    url,
    kill,
    restart: start,
    stop: () => void child.kill('SIGSTOP'),
    // Before it handles the signal it would end by it.
    save: () => void (isRunning && child.kill('SIGUSR1')),
    database: join(folder, 'mosquitto.db'),
    publish: (topic, ...payloads) => publish(topic, payloads, false),
    retain: (topic, payload) => publish(topic, [payload], true),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
