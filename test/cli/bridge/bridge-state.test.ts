import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BridgeState } from '../../../src/cli/bridge/bridge-state.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'

const open = (folder: string) => new BridgeState(folder, 'broker:1883', 'a')

test('sessions, subscriptions and the last identifier are remembered', () => {
  const folder = temporaryFolder()
  const state = open(folder)
  expect(state.clientIds).toEqual([])
  expect(state.add('a', ['x', 'y'])).toEqual({ x: 1, y: 2 })
  state.confirm('a', { y: 2 })
  expect(open(folder).subscriptionsOf('a')).toEqual({ y: 2 })
  expect(open(folder).add('a', ['x', 'y'])).toEqual({ x: 3, y: 2 })
})

test('a damaged file is refused with what to do, and left as it is', () => {
  const folder = temporaryFolder()
  open(folder).add('a', ['x'])
  const [name] = readdirSync(folder)
  const rest = '"lastIdentifier":1,"sessions"'
  for (const text of ['', '{', 'null', '[]', '{}', `{${rest}:[]}`, `{${rest}:{"a":5}}`, `{${rest}:{"a":{"x":"1"}}}`]) {
    writeFileSync(join(folder, name), text)
    expect(() => open(folder), text).toThrow(
      expect.objectContaining({ code: 'store-damaged', message: expect.stringMatching(/is damaged.*remove the file/) }),
    )
    expect(readdirSync(folder)).toEqual([name])
  }
})
