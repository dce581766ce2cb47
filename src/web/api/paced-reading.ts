import type { IncomingMessage } from 'node:http'

/** Bodies of which one turn of the event loop reads a piece, and bytes of a body that are read before it must wait. */
const BODIES_A_TURN = 8
const FREE_BYTES = 64 * 1024

const waiting: IncomingMessage[] = []

/**
 * Calls `onPiece` with each piece of a body as it comes. Large bodies take turns: a few of them get a piece read in
 * each turn of the event loop. Otherwise Node.js would read in one turn all that all clients have sent, and answer
 * nobody meanwhile. Returns a function that stops the calls.
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

/** Reads and drops the rest of a body: a client that is cut off while it sends would not read its answer. */
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
