import type { IncomingMessage } from 'node:http'

/** Bodies of which a piece is read in one turn of the event loop, and bytes of a body that are read before it waits. */
const BODIES_A_TURN = 8
const FREE_BYTES = 64 * 1024

const waiting: IncomingMessage[] = []

/**
 * Calls `onPiece` with each piece of a body as it comes. Of large bodies a few get a piece read in each turn of the event
 * loop, in their order: by itself Node.js reads in one turn all that all clients have sent, and answers nobody meanwhile.
 * Gives what ends it.
 */
export function readPaced(request: IncomingMessage, onPiece: (piece: Buffer) => void): () => void {
  if (Number(request.headers['content-length'] ?? 0) > FREE_BYTES) wait(request)
  let bytes = 0
  const take = (piece: Buffer): void => {
    bytes += piece.length
    onPiece(piece)
    if (bytes > FREE_BYTES && !request.complete) wait(request)
  }
  request.on('data', take)
  return () => request.off('data', take)
}

/** Reads what is left of a body, and drops it: a client that is cut while it sends would not read its answer. */
export function dropRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  readPaced(request, () => {})
  wait(request)
}

function wait(request: IncomingMessage): void {
  request.pause()
  if (waiting.push(request) === 1) setImmediate(goOn)
}

function goOn(): void {
  for (const request of waiting.splice(0, BODIES_A_TURN)) request.resume()
  if (waiting.length > 0) setImmediate(goOn)
}
