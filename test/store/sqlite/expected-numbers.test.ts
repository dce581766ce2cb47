import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite, writeTransaction } from '../../../src/store/sqlite/connection.ts'
import { SqliteRegistry } from '../../../src/store/sqlite/registry.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'

const SHARDS = 16
const NOW = Date.UTC(2026, 0, 1)

function twoRegistries() {
  const file = join(temporaryFolder(), 'store.sqlite')
  return [0, 1].map(() => {
    const database = openSqlite(file)
    onTestFinished(() => void database.close())
    const registry = new SqliteRegistry(database, SHARDS)
    const register = (expected: ReturnType<SqliteRegistry['expectNumbers']>) => {
      const numbers = writeTransaction(database, () => registry.register(expected, NOW, 0))
      registry.committed()
      return numbers
    }
    return { database, registry, register }
  })
}

test('numbers that were expected are given, and those of known ids stay', () => {
  const [one] = twoRegistries()
  const expected = one.registry.expectNumbers(['a', 'b'])
  expect([...expected.number, ...expected.fresh]).toEqual([0, 1, 1, 1])
  expect(one.register(expected)).toBe(expected)
  const more = one.registry.expectNumbers(['c', 'b'])
  expect([...more.number, ...more.fresh]).toEqual([2, 1, 1, 0])
  expect(one.register(more)).toBe(more)
})

test('where another connection has registered devices meanwhile, the numbers are those of the store', async () => {
  const [one, other] = twoRegistries()
  const expected = one.registry.expectNumbers(['a', 'b', 'c'])
  other.register(other.registry.expectNumbers(['b', 'x']))
  const numbers = one.register(expected)
  expect(numbers).not.toBe(expected)
  expect([...numbers.number, ...numbers.fresh]).toEqual([2, 0, 3, 1, 0, 1])
  for (const [index, id] of expected.ids.entries()) {
    expect((await other.registry.device(id))?.number).toBe(numbers.number[index])
  }
})

test('where a device has been erased meanwhile, its id gets a new number', () => {
  const [one, other] = twoRegistries()
  one.register(one.registry.expectNumbers(['a', 'b']))
  const expected = one.registry.expectNumbers(['a', 'b'])
  other.database.exec(
    `UPDATE device SET id = x'ff30', erased_at = ${NOW} WHERE number = 0;
     INSERT INTO counter (name, value) VALUES ('devices erased', 1)`,
  )
  const numbers = one.register(expected)
  expect([...numbers.number, ...numbers.fresh]).toEqual([2, 1, 1, 0])
})
