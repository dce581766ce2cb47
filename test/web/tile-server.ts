import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

export interface TileServer {
  origin: string
  /** For COOLER_MAP_TILES. */
  template: string
  /** Tiles that were asked for, as z/x/y, and from which page. */
  asked: string[]
  referers: Set<string | undefined>
  /** What is done with a request from now on; `wait` answers none until something else is set. */
  does: (what: 'answer' | 'wait' | 'fail', closestZoom?: number) => void
}

export type Colour = [red: number, green: number, blue: number]

/** Every tile is of one colour, which tells its place. */
export const colourOf = (z: number, x: number, y: number): Colour => [(x * 37) % 256, (y * 37) % 256, 40 + z * 8]

/** A tile server on a port of its own. It allows no cross-origin reading, as most do not. */
export async function tileServer(): Promise<TileServer> {
  const asked: string[] = []
  const referers = new Set<string | undefined>()
  const waiting: (() => void)[] = []
  let [doing, closest] = ['answer', 19]
  const answer = (response: ServerResponse, path: string): void => {
    const [z, x, y] = path.split('/').map(Number)
    if (doing === 'wait') waiting.push(() => answer(response, path))
    else if (doing === 'fail' || z > closest) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'image/png' }).end(png(colourOf(z, x, y)))
  }
  const server = createServer((request, response) => {
    const path = /^\/tiles\/(\d+\/\d+\/\d+)\.png\?of=a&b$/.exec(request.url as string)?.[1]
    asked.push(path ?? `not a tile: ${request.url}`)
    referers.add(request.headers.referer)
    answer(response, path ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const does: TileServer['does'] = (what, closestZoom = 19) => {
    ;[doing, closest] = [what, closestZoom]
    for (const go of waiting.splice(0)) go()
  }
  return { origin, template: `${origin}/tiles/{z}/{x}/{y}.png?of=a&b`, asked, referers, does }
}

const EDGE = 256

function png(colour: Colour): Buffer {
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(3 * EDGE, Buffer.from(colour))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(EDGE, 0)
  header.writeUInt32BE(EDGE, 4)
  header.set([8, 2], 8) // Eight bits of red, green and blue each.
  const rows = deflateSync(Buffer.concat(Array.from({ length: EDGE }, () => row)))
  const parts = [chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
