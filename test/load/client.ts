import { Agent, request } from 'node:http'

export interface Ask {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** An answer; of a large one only how it begins, since reading it would hold up the client. */
export interface Given {
  status: number
  bytes: number
  text: string
}

/** So much of an answer is kept. */
const KEPT_BYTES = 64 * 1024

export interface Client {
  ask(what: Ask): Promise<Given>
  close(): void
}

/** A client of a service, over as many connections as it needs, which stay open. */
export function openClient(url: string): Client {
  const agent = new Agent({ keepAlive: true })
  return {
    ask: ({ method, path, headers = {}, body = '' }) =>
      new Promise((resolve, reject) => {
        const length = { 'content-length': String(Buffer.byteLength(body)) }
        const asked = request(`${url}${path}`, { method, agent, headers: { ...headers, ...length } }, (answer) => {
          const kept: Buffer[] = []
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            if (bytes < KEPT_BYTES) kept.push(chunk)
            bytes += chunk.length
          })
          answer.on('error', reject)
          answer.on('end', () => {
            resolve({ status: answer.statusCode ?? 0, bytes, text: Buffer.concat(kept).toString('utf8') })
          })
        })
        asked.on('error', reject)
        asked.end(body)
      }),
    close: () => agent.destroy(),
  }
}
