import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { eventually } from '../helpers/eventually.ts'

/** A connection; `read` resolves when what has come matches. */
export async function dial(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'connect')
  return { socket, read: (pattern: RegExp) => eventually(() => text).toMatch(pattern), text: () => text }
}
