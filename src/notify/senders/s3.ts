import { once } from '../../base/once.ts'
import type { ChannelOf } from '../channel.ts'
import { copiesToRemove, namesBegin } from '../file-names.ts'
import type { Outcome, Sender, Sending } from '../sender.ts'
import { type SentFile, sentFileOf } from './file-sending.ts'
import type { S3Server } from './s3-bucket.ts'

/** Errors that end only when somebody changes the bucket or its rules. */
const REFUSALS: Readonly<Record<string, string>> = {
  AccessDenied: 'access denied: allow s3:PutObject and s3:AbortMultipartUpload for this login',
  NoSuchBucket: 'there is no such bucket',
}

const MOST_TOLD = 200

/**
 * Returns a sender that puts files into buckets of one server; null stands for Amazon S3. Sending a file again replaces
 * it. The client is loaded when the first file is sent.
 */
export function s3Sender(endpoint: string | null): Sender {
  const opened = once(async () => (await import('./s3-bucket.ts')).S3Server.at(endpoint))
  let isUsed = false
  return {
    async send(channel, sending) {
      const file = sentFileOf(sending)
      if (file === null) return { as: 'refused', error: 'a bucket takes files only' }
      const { bucket, prefix } = channel as ChannelOf<'s3'>
      const folder = prefix === undefined ? '' : `${prefix}/`
      isUsed = true
      let server: S3Server | null = null
      try {
        server = await opened()
        await server.put({ bucket, key: folder + file.name }, file, sending.signal)
        await removeOlder(server, { bucket, folder }, file, sending)
        return { as: 'sent' }
      } catch (error) {
        return outcomeOf(error as Error, bucket, (await server?.secrets()) ?? [])
      }
    },
    async close() {
      if (isUsed) (await opened().catch(() => null))?.close()
    },
  }
}

/** Removes older copies of a store. A login that may only write leaves that to the rules of the bucket. */
async function removeOlder(
  server: S3Server,
  { bucket, folder }: { bucket: string; folder: string },
  { name, keep }: SentFile,
  { subscription: { id }, signal }: Pick<Sending, 'subscription' | 'signal'>,
): Promise<void> {
  if (keep === null) return
  try {
    const keys = await server.list({ bucket, key: folder + namesBegin(id) }, signal)
    const names = keys.map((key) => key.slice(folder.length))
    for (const older of copiesToRemove(names, id, { delivered: name, keep }))
      await server.remove({ bucket, key: folder + older }, signal)
  } catch (error) {
    if ((error as Error).name !== 'AccessDenied') throw error
  }
}

/** Returns the outcome for an error, without the secrets of the login. */
function outcomeOf(error: Error & { code?: string }, bucket: string, secrets: readonly string[]): Outcome {
  const { name, message, code } = error
  if (Object.hasOwn(REFUSALS, name)) return { as: 'refused', error: `bucket ${bucket}: ${REFUSALS[name]}` }
  if (name === 'AbortError') return { as: 'failed', error: `bucket ${bucket}: the delivery was stopped` }
  const told = [name === 'Error' ? code : name, message].filter((part) => part !== undefined && part !== '').join(': ')
  const clean = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), told)
  return { as: 'failed', error: `bucket ${bucket}: ${clean.replace(/\s+/g, ' ').slice(0, MOST_TOLD)}` }
}
