import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the kernel gives to connections, which might otherwise take one while its server restarts. */
const FIRST_PORT = 10_000
const LAST_PORT = 32_000

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

/** Finds a free TCP port of 127.0.0.1 that a server can keep over restarts. */
export async function loopbackPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    if (await isFree(port)) return port
  }
}
