import { expect } from 'vitest'
import type { TemporaryService } from '../../helpers/temporary-service.ts'
import { composeOfEachType, fail } from '../stored-messages.ts'
import { DOCUMENT } from './documented.ts'
import type { callsOf } from './live.ts'

/** Makes every call about subscriptions and messages, with an answer of each kind. */
export async function askForNotices(ask: ReturnType<typeof callsOf>, service: TemporaryService): Promise<void> {
  const one = { params: { id: 'route-12' } }
  const { examples } = DOCUMENT.paths['/v1/subscriptions/{id}'].put.requestBody?.content['application/json'] ?? {}
  for (const example of Object.values(examples ?? {})) {
    const { value } = example as { value: { id: string } }
    expect((await ask('PUT /v1/subscriptions/{id}', { params: { id: value.id }, body: value })).status).toBe(200)
  }
  expect((await ask('GET /v1/subscriptions')).body.subscriptions).toHaveLength(3)
  const { id } = (await ask('POST /v1/subscriptions/{id}/test', one)).body
  await ask('POST /v1/subscriptions/{id}/test', one)
  await composeOfEachType(service)
  expect((await ask('GET /v1/messages', { query: '?limit=1' })).body.next).not.toBe(null)
  const { messages } = (await ask('GET /v1/messages')).body
  expect(new Set(messages.map(({ type }: { type: string }) => type))).toEqual(
    new Set(['test', 'exceptions', 'report', 'backup']),
  )
  for (const message of messages) await ask('GET /v1/messages/{id}', { params: { id: message.id } })
  const retry = 'POST /v1/messages/{id}/retry'
  expect((await ask(retry, { params: { id } })).body.message).toMatch(/the state of this one is waiting/)
  await fail(service, id)
  expect((await ask('GET /v1/messages', { query: '?state=failed' })).body.messages).toHaveLength(1)
  expect((await ask(retry, { params: { id } })).status).toBe(202)
  const none = { params: { id: 'none' } }
  for (const call of ['GET /v1/messages/{id}', retry]) expect((await ask(call, none)).status).toBe(404)
  expect((await ask('DELETE /v1/subscriptions/{id}', one)).status).toBe(200)
  for (const call of ['DELETE /v1/subscriptions/{id}', 'POST /v1/subscriptions/{id}/test'])
    expect((await ask(call, one)).status).toBe(404)
}
