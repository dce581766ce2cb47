import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-store.ts'

interface S3rver {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}

const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3rver

/** The login that the server knows. */
const LOGIN = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_SESSION_TOKEN: '' }

/** What a test does to a request: changes its body in transit, denies it, or holds it for ever. */
export type Interference = (asked: IncomingMessage, body: Buffer) => Buffer | 'deny' | 'hold'

/** Sets the login of this process; `more` takes precedence. No other login of the machine is found. */
export function useLogin(more: Record<string, string> = {}): void {
  const files = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' }
  const env = { ...LOGIN, ...files, AWS_EC2_METADATA_DISABLED: 'true', AWS_REGION: '', AWS_PROFILE: '', ...more }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
}

/**
 * A server of buckets. S3rver checks logins and keeps objects. What it lacks is done in front of it, as S3 does it: the
 * checksums of what was sent are compared, and an upload in parts can be aborted. It does not know the signature of a list,
 * whose path ends in a slash, so that lists are let in without one.
 */
export async function s3Server(...buckets: readonly string[]) {
  const directory = temporaryFolder()
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: buckets.map((name) => ({ name })),
  })
  const { port } = await server.run()
  onTestFinished(() => server.close())
  const uploads = (bucket: string) => join(directory, bucket, '._S3rver_uploads')
  const state = { interfere: ((_, body) => body) as Interference, summed: [] as string[] }
  const front = createServer(async (asked, answer) => {
    const sent = state.interfere(asked, await buffer(asked))
    if (sent === 'hold') return
    if (sent === 'deny') return refuse(answer, 403, 'AccessDenied')
    const url = new URL(asked.url ?? '/', 'http://server')
    const upload = url.searchParams.get('uploadId')
    if (asked.method === 'DELETE' && upload !== null) {
      rmSync(join(uploads(url.pathname.split('/')[1]), upload), { recursive: true })
      return void answer.writeHead(204).end()
    }
    if (asked.method === 'PUT') {
      const wrong = wrongSum(asked, sent)
      if (wrong !== null) return refuse(answer, 400, wrong)
      state.summed.push(asked.url ?? '')
    }
    const { method } = asked
    const { authorization: _, ...rest } = asked.headers
    const headers = url.pathname.endsWith('/') ? rest : asked.headers
    const inner = request({ host: '127.0.0.1', port, method, path: asked.url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    inner.end(sent)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    /** Paths of the requests whose checksums were compared and were right. */
    summed: state.summed,
    interfere(how: Interference): void {
      state.interfere = how
    },
    /** The number of uploads in parts that were neither completed nor aborted. */
    uploadsOpen: (bucket: string): number => (existsSync(uploads(bucket)) ? readdirSync(uploads(bucket)).length : 0),
  }
}

function refuse(answer: ServerResponse, status: number, code: string): void {
  answer.writeHead(status, { 'content-type': 'application/xml' })
  answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} it is</Message></Error>`)
}

/** Returns the error of S3 for a body without the checksums that its headers say. */
function wrongSum({ headers }: IncomingMessage, body: Buffer): string | null {
  const sha256 = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== sha256) return 'XAmzContentSHA256Mismatch'
  return headers['x-amz-checksum-crc32'] === crc32(body) ? null : 'BadDigest'
}

/** CRC-32 (IEEE 802.3) as S3 writes it: four bytes, the highest first, in base64. */
function crc32(bytes: Buffer): string {
  let crc = ~0
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8)
  const sum = Buffer.alloc(4)
  sum.writeInt32BE(~crc)
  return sum.toString('base64')
}

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})
