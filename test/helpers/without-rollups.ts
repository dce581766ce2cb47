import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { eventually } from './eventually.ts'

/**
 * A server before a service, at which every `POST /v1/rollups` only waits until the service has by itself rolled up what
 * was due: nobody asks it for a rollup. Everything else is passed on. Gives its URL, and how often it was asked.
 */
export async function withoutRollups(service: string): Promise<{ url: string; asked: () => number }> {
  let asked = 0
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request)
    if (request.method === 'POST' && request.url === '/v1/rollups') {
      asked++
      await nothingDue(service)
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
      return
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !/^(host|connection|content-length|expect)$/.test(name)),
    ) as Record<string, string>
    const passed = await fetch(`${service}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(body.length > 0 ? { body } : {}),
    })
    const type = passed.headers.get('content-type') ?? 'application/json'
    response.writeHead(passed.status, { 'content-type': type }).end(Buffer.from(await passed.arrayBuffer()))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

async function nothingDue(service: string): Promise<void> {
  const due = async (): Promise<unknown> => {
    const status = (await (await fetch(`${service}/v1/status`)).json()) as Record<string, unknown>
    return { dueSegments: status.dueSegments, dueDevices: status.dueDevices }
  }
  await eventually(due).toEqual({ dueSegments: 0, dueDevices: 0 })
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
