import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

export interface Receiver {
  /** With http:// or https:// and 127.0.0.1. */
  url: string
  port: number
  received: Received[]
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A receiver of webhooks on loopback, which answers as `answer` does once it has read a request. */
export async function receiver(answer: Answer, tls?: { cert: string; key: string }): Promise<Receiver> {
  const received: Received[] = []
  const listener: RequestListener = async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.alloc(0))
    received.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, body: `${body}` })
    answer(response, request)
  }
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  const { port } = server.address() as AddressInfo
  return { url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}`, port, received }
}

/** Answers with a status, headers and no body. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end()
