import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished, test } from 'vitest'
import { eventually } from './eventually.ts'
import { openNamespace } from './network-namespace.ts'

test('a process within reaches the test by the cable, and not while it is pulled', async ({ skip }) => {
  const network = openNamespace()
  if (network === null) return skip('not root, or no ip')
  let asked = 0
  const server = createServer((_, answer) => void answer.end(`${++asked}`)).listen(0, network.outside)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const script = `setInterval(() => fetch('http://${network.outside}:${port}').then((answer) => answer.text()), 50)`
  const [command, ...within] = network.command
  const child = spawn(command, [...within, process.execPath, '-e', script])
  onTestFinished(() => void child.kill('SIGKILL'))
  await eventually(() => asked).toBeGreaterThan(2)
  network.down()
  const before = asked
  network.up()
  await eventually(() => asked).toBeGreaterThan(before + 2)
})
