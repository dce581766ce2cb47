import { randomBytes } from 'node:crypto'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { s3Sender } from '../../src/notify/senders/s3.ts'
import { s3Server, useLogin } from './s3-server.ts'
import { backupTo, fileOf, reportTo, sendingOf, testSending } from './sendings.ts'

const channel = { type: 's3', bucket: 'coolers', prefix: 'reports/daily' } as const
const report = reportTo(channel)
const NAME = 'route-12-20261129.csv'
const LARGE = randomBytes(20 * 2 ** 20)

/** A server with buckets, a sender to it, and what is in them. */
async function delivery(...buckets: string[]) {
  const server = await s3Server('coolers', ...buckets)
  const sender = s3Sender(server.endpoint)
  onTestFinished(() => sender.close())
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  })
  onTestFinished(() => client.destroy())
  return {
    server,
    sender,
    async content(key: string, Bucket = 'coolers') {
      const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key: key }))
      return { type: ContentType, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) }
    },
    async keys(Bucket = 'coolers') {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
      return Contents.map(({ Key }) => Key)
    },
  }
}

describe('a file into a bucket', () => {
  test('arrives under its prefix, with its type; a repeat replaces it', async () => {
    useLogin()
    const { sender, content, keys } = await delivery()
    for (const text of ['one', 'other']) {
      expect(await sender.send(channel, sendingOf(report, NAME, fileOf(text)))).toEqual({ as: 'sent' })
      expect(await content(`reports/daily/${NAME}`)).toEqual({ type: 'text/csv', bytes: Buffer.from(text) })
    }
    const { type, bucket } = channel
    expect(await sender.send({ type, bucket }, testSending(report))).toEqual({ as: 'sent' })
    expect(await keys()).toEqual([`reports/daily/${NAME}`, 'route-12-test.txt'])
  })

  test('that is large goes in parts, each with checksums that the server compares', async () => {
    useLogin()
    const { sender, server, content } = await delivery()
    expect(await sender.send(channel, sendingOf(report, NAME, fileOf(LARGE)))).toEqual({ as: 'sent' })
    expect(server.summed.map((path) => /partNumber=(\d+)/.exec(path)?.[1])).toEqual(['1', '2', '3'])
    expect((await content(`reports/daily/${NAME}`)).bytes.equals(LARGE)).toBe(true)
    expect(server.uploadsOpen('coolers')).toBe(0)
  })

  test.each([
    ['small', Buffer.from('one')],
    ['large', LARGE],
  ])('that is %s and changes on its way is refused by the server, and leaves nothing there', async (_, bytes) => {
    useLogin()
    const { sender, server, keys } = await delivery()
    server.interfere(({ url }, body) => {
      if (body.length > 0 && !/partNumber=[13]/.test(url ?? '')) body[body.length >> 1] ^= 1
      return body
    })
    const outcome = await sender.send(channel, sendingOf(report, NAME, fileOf(bytes)))
    expect(outcome).toEqual({
      as: 'failed',
      error: expect.stringMatching(/^bucket coolers: XAmzContentSHA256Mismatch/),
    })
    expect([await keys(), server.uploadsOpen('coolers')]).toEqual([[], 0])
  })

  test('that is stopped half-way leaves no parts on the server', async () => {
    useLogin()
    const { sender, server, keys } = await delivery()
    const stop = new AbortController()
    let open = 0
    server.interfere(({ url }, body) => {
      if (!url?.includes('partNumber=2')) return body
      open = server.uploadsOpen('coolers')
      stop.abort()
      return 'hold'
    })
    const outcome = await sender.send(channel, sendingOf(report, NAME, fileOf(LARGE), stop.signal))
    expect(outcome).toEqual({ as: 'failed', error: 'bucket coolers: the delivery was stopped' })
    expect([open, server.uploadsOpen('coolers'), await keys()]).toEqual([1, 0, []])
  })

  test.each([
    ['a wrong password', { AWS_SECRET_ACCESS_KEY: 'wr0ng/s3cret' }, /^bucket coolers: SignatureDoesNotMatch: .+$/],
    ['an unknown login', { AWS_ACCESS_KEY_ID: 'AKIAUNKNOWN' }, /^bucket coolers: InvalidAccessKeyId: .+$/],
    ['no login', { AWS_ACCESS_KEY_ID: '' }, /^bucket coolers: CredentialsProviderError: .+$/],
  ])('fails with %s, in one line without the login', async (_, login, error) => {
    useLogin(login)
    const { sender } = await delivery()
    const outcome = await sender.send(channel, sendingOf(report, NAME, fileOf('one')))
    expect(outcome).toEqual({ as: 'failed', error: expect.stringMatching(error) })
    expect(JSON.stringify(outcome)).not.toMatch(/wr0ng|AKIAUNKNOWN/)
  })

  test('is refused where there is no such bucket, or access to it is denied; a server that is away may come back', async () => {
    useLogin()
    const { sender, server } = await delivery()
    const send = (bucket: string) => sender.send({ type: 's3', bucket }, sendingOf(report, NAME, fileOf('one')))
    expect(await send('other')).toEqual({ as: 'refused', error: 'bucket other: there is no such bucket' })
    server.interfere(() => 'deny')
    expect(await send('coolers')).toEqual({ as: 'refused', error: expect.stringContaining('access denied') })
    const away = s3Sender('http://127.0.0.1:1')
    const outcome = await away.send(channel, sendingOf(report, NAME, fileOf('one')))
    expect(outcome).toEqual({ as: 'failed', error: expect.stringMatching(/^bucket coolers: .*ECONNREFUSED.*$/) })
    await away.close()
  })
})

describe('copies of a store in a bucket', () => {
  const to = { type: 's3', bucket: 'coolers', prefix: 'copies' } as const
  const others = [
    'copies/nightly-20261101.csv',
    'copies/nightly-2-20261101.sqlite',
    'copies/nightly-20261101.sqlite.txt',
  ]

  test('are kept so many; nothing else is removed', async () => {
    useLogin()
    const { sender, keys } = await delivery()
    const put = (name: string, keep?: number) => sender.send(to, sendingOf(backupTo(to, keep), name, fileOf('copy')))
    for (const other of others)
      await sender.send(to, sendingOf(report, other.slice('copies/'.length), fileOf('precious')))
    const names = ['nightly-20261126.sqlite', 'nightly-20261127.sqlite', 'nightly-20261128.sqlite']
    for (const name of names) expect(await put(name)).toEqual({ as: 'sent' })
    expect(await keys()).toEqual([...others, ...names.map((name) => `copies/${name}`)].sort())
    expect(await put('nightly-20261128.v2.sqlite', 2)).toEqual({ as: 'sent' })
    const kept = ['copies/nightly-20261128.sqlite', 'copies/nightly-20261128.v2.sqlite']
    expect(await keys()).toEqual([...others, ...kept].sort())
  })

  test('are left to the rules of a bucket that may only be written', async () => {
    useLogin()
    const { sender, server } = await delivery()
    server.interfere(({ method }, body) => (method === 'GET' ? 'deny' : body))
    expect(await sender.send(to, sendingOf(backupTo(to, 1), 'nightly-20261128.sqlite', fileOf('copy')))).toEqual({
      as: 'sent',
    })
  })
})
