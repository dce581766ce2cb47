import { type FileHandle, open } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { SentFile } from './file-sending.ts'

/** The largest object that is sent at once, and the least part of a larger one. One part is in memory at a time. */
const PART_BYTES = 8 * 2 ** 20
const MOST_PARTS = 10_000

const CONNECT_MS = 10_000
const IDLE_MS = 60_000
const ABORT_MS = 10_000

/** Region for servers without regions, unless the environment names one. */
const ANY_REGION = 'us-east-1'

/** An object of a bucket. */
export interface ObjectPlace {
  bucket: string
  key: string
}

/**
 * A server of buckets. Each request has a checksum of what it sends, which the server compares (CRC32, and SHA-256 in its
 * signature). The login is the one that programs for AWS find in the environment.
 */
export class S3Server {
  readonly #client: S3Client

  private constructor(client: S3Client) {
    this.#client = client
  }

  /** @param endpoint URL of the server; null for Amazon S3. */
  static async at(endpoint: string | null): Promise<S3Server> {
    const options = {
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: IDLE_MS },
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    }
    const client = new S3Client(options)
    if (endpoint === null || (await hasRegion(client))) return new S3Server(client)
    client.destroy()
    return new S3Server(new S3Client({ ...options, region: ANY_REGION }))
  }

  /** Creates or replaces an object, completely or not at all. */
  async put({ bucket, key }: ObjectPlace, { content, mediaType }: SentFile, signal: AbortSignal): Promise<void> {
    const object = { Bucket: bucket, Key: key, ContentType: mediaType }
    if ('text' in content) return this.#putWhole(object, Buffer.from(content.text), signal)
    const file = await open(content.path, 'r')
    try {
      if (content.bytes <= PART_BYTES) await this.#putWhole(object, await read(file, 0, content.bytes), signal)
      else await this.#putParts(object, file, content.bytes, signal)
    } finally {
      await file.close()
    }
  }

  /** Returns the keys in a bucket that begin with a text. */
  async list({ bucket, key }: ObjectPlace, signal: AbortSignal): Promise<string[]> {
    const keys: string[] = []
    let token: string | undefined
    do {
      const page = new ListObjectsV2Command({ Bucket: bucket, Prefix: key, ContinuationToken: token })
      const { Contents = [], NextContinuationToken } = await this.#client.send(page, { abortSignal: signal })
      keys.push(...Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key])))
      token = NextContinuationToken
    } while (token !== undefined)
    return keys
  }

  async remove({ bucket, key }: ObjectPlace, signal: AbortSignal): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal })
  }

  /** Returns the parts of the login, which nobody may see. */
  async secrets(): Promise<string[]> {
    const login = await this.#client.config.credentials().catch(() => null)
    return [login?.secretAccessKey, login?.sessionToken, login?.accessKeyId].filter((one) => one !== undefined)
  }

  close(): void {
    this.#client.destroy()
  }

  async #putWhole(object: Target, body: Buffer, signal: AbortSignal): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...object, Body: body }), { abortSignal: signal })
  }

  async #putParts(object: Target, file: FileHandle, bytes: number, signal: AbortSignal): Promise<void> {
    const isSummed = (await this.#client.config.requestChecksumCalculation()) === 'WHEN_SUPPORTED'
    const begin = new CreateMultipartUploadCommand({ ...object, ...(isSummed ? { ChecksumAlgorithm: 'CRC32' } : {}) })
    const { UploadId } = await this.#client.send(begin, { abortSignal: signal })
    const upload = { Bucket: object.Bucket, Key: object.Key, UploadId }
    try {
      const parts: CompletedPart[] = []
      const partBytes = Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS))
      for (let from = 0; from < bytes; from += partBytes) {
        const body = await read(file, from, Math.min(partBytes, bytes - from))
        const part = new UploadPartCommand({ ...upload, PartNumber: parts.length + 1, Body: body })
        const { ETag, ChecksumCRC32 } = await this.#client.send(part, { abortSignal: signal })
        parts.push({ PartNumber: parts.length + 1, ETag, ...(ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 }) })
      }
      const end = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } })
      await this.#client.send(end, { abortSignal: signal })
    } catch (error) {
      await this.#abort(upload)
      throw error
    }
  }

  /** Removes the parts that were sent. If that fails, the upload's own error says more. */
  async #abort(upload: { Bucket: string; Key: string; UploadId: string | undefined }): Promise<void> {
    const abort = new AbortMultipartUploadCommand(upload)
    await this.#client.send(abort, { abortSignal: AbortSignal.timeout(ABORT_MS) }).catch(() => {})
  }
}

interface Target {
  Bucket: string
  Key: string
  ContentType: string
}

const hasRegion = async (client: S3Client): Promise<boolean> =>
  client.config.region().then(
    () => true,
    () => false,
  )

async function read(file: FileHandle, from: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes)
  let done = 0
  while (done < bytes) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, from + done)
    if (bytesRead === 0) throw new Error('the file to be sent became shorter meanwhile')
    done += bytesRead
  }
  return buffer
}
