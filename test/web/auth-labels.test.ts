import { describe, expect, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { expectError } from './app-fixture.ts'
import { keyedApp } from './keyed-app.ts'

describe('a key limited by labels', () => {
  test('sees devices that have all of them, and as soon as their labels change others', async () => {
    const { ask, fill } = await keyedApp({
      one: { scopes: ['read'], labels: { site: '7' } },
      both: { scopes: ['read', 'ingest'], labels: { site: '7', model: 'X' } },
      all: { scopes: ['admin'] },
    })
    await fill([visitors('a', 1), visitors('b', 2), visitors('c', 3)])
    const label = (id: string, labels: object) => ask('all', 'PUT', `/v1/devices/${id}/labels`, labels)
    const seen = async (name: 'one' | 'both') =>
      (await ask(name, 'GET', '/v1/devices')).json().devices.map((device: { id: string }) => device.id)
    expect([await seen('one'), await seen('both')]).toEqual([[], []])
    await label('a', { site: '7' })
    await label('b', { model: 'X', site: '7' })
    await label('c', { site: '70' })
    expect([await seen('one'), await seen('both')]).toEqual([['a', 'b'], ['b']])
    expect((await ask('both', 'POST', '/v1/telemetry', [visitors('b', 4)])).statusCode).toBe(202)
    expectError(await ask('both', 'POST', '/v1/telemetry', [visitors('a', 4)]), 'forbidden', /event 0/)
    expectError(await ask('both', 'POST', '/v1/telemetry', [visitors('new', 4)]), 'forbidden', /event 0/)
    expectError(await ask('one', 'GET', '/metrics'), 'forbidden', /limited/)
    await label('b', { model: 'Y', site: '7' })
    expect([await seen('one'), await seen('both')]).toEqual([['a', 'b'], []])
    expectError(await ask('both', 'GET', '/v1/devices/b'), 'not-found')
  })

  test('cannot take the labels that it is limited by from a device, but may change others', async () => {
    const { ask, fill } = await keyedApp({
      admin: { scopes: ['admin'], labels: { site: '7' } },
      all: { scopes: ['admin'] },
    })
    await fill([visitors('a', 1)])
    await ask('all', 'PUT', '/v1/devices/a/labels', { site: '7' })
    for (const labels of [{}, { site: '8' }]) {
      expectError(await ask('admin', 'PUT', '/v1/devices/a/labels', labels), 'forbidden', /may not change/)
      expectError(await ask('admin', 'PUT', '/v1/devices/a', { labels }), 'forbidden', /may not change/)
    }
    const labels = { model: 'X', site: '7' }
    expect((await ask('admin', 'PUT', '/v1/devices/a/labels', labels)).json().labels).toEqual(labels)
    expectError(await ask('admin', 'PUT', '/v1/devices/b', {}), 'not-found')
  })
})
