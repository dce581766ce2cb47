import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { readPaced } from './paced-reading.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the request's body, packed and unpacked, that the service holds. */
    bytesInHand: number
  }
}

/** Makes the error of an overloaded service; `why` begins its message. */
export const overloaded = (why: string): CoolerError => new CoolerError('overloaded', `${why}: try again`)

/** Counts the body bytes of all requests that have not been answered. */
export class BytesInHand {
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Counts bytes that a request has brought, until it is answered.
   *
   * @throws CoolerError `overloaded` where all requests together would have more than may be in hand
   */
  take(request: FastifyRequest, bytes: number): void {
    this.requireRoom(bytes)
    request.bytesInHand += bytes
    this.#bytes += bytes
  }

  /** @throws CoolerError `overloaded` */
  requireRoom(bytes: number): void {
    if (this.#bytes + bytes > this.#most) throw overloaded('the service has too much in hand')
  }

  giveBack(request: FastifyRequest): void {
    this.#bytes -= request.bytesInHand
    request.bytesInHand = 0
  }
}

/**
 * Reads every body as bytes, regardless of its media type, within the limit of its route and all together within
 * `inHand`. The routes parse them.
 */
export function readBodies(app: FastifyInstance, inHand: BytesInHand): void {
  app.removeAllContentTypeParsers()
  app.decorateRequest('bytesInHand', 0)
  app.addContentTypeParser('*', (request, _payload, done) => {
    readBody(request, inHand).then(
      (body) => done(null, body),
      (error) => done(error),
    )
  })
  // onSend also runs for requests that failed and for clients that have gone away.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    inHand.giveBack(request)
    done()
  })
}

async function readBody(request: FastifyRequest, inHand: BytesInHand): Promise<Buffer> {
  const { raw } = request
  const { bodyLimit: limit } = request.routeOptions
  // Checks the announced length first: then none of the body need be read.
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit) throw bodyTooLarge(limit)
  inHand.requireRoom(announced)
  const pieces: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      end()
      pieces.length = 0
      inHand.giveBack(request)
      reject(error)
    }
    const stop = readPaced(raw, (piece) => {
      bytes += piece.length
      try {
        if (bytes > limit) throw bodyTooLarge(limit)
        inHand.take(request, piece.length)
        pieces.push(piece)
      } catch (error) {
        refuse(error as Error)
      }
    })
    const listeners = {
      end: (): void => {
        end()
        resolve(Buffer.concat(pieces, bytes))
      },
      error: refuse,
      close: (): void => refuse(new CoolerError('bad-request', 'the request ended before its body did')),
    }
    const end = (): void => {
      stop()
      for (const [event, listener] of Object.entries(listeners)) raw.off(event, listener)
    }
    for (const [event, listener] of Object.entries(listeners)) raw.on(event, listener)
  })
}

/** Makes the error for a body over a limit in bytes. */
export const bodyTooLarge = (limit: number): CoolerError =>
  new CoolerError('body-too-large', `the body is larger than ${limit} bytes: send it in parts`)
