import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { migrations } from '../../src/store/sqlite/migrations.ts'

/** SHA-256 of each migration. A store that has run one never runs it again: what is to change takes a further one. */
const HASHES = [
  '407b6df170ec47e501c043c83d0064db65dcb1d4bf6170eadfe322c942d1d360',
  '3832bfcee6c0cea89835ae25ec1aea44307fd183cac2203e25b8421931c95c0e',
  '28049b91a34b553c95bdee30a8251f276795a73ab988403412b206f713cca1e3',
  '8f2442430f59b6129c76c90cce94d6a139b08cfc14e673d8b36d64a6feb716de',
  '8329f11660b2e898ccd231e4266a3fc091c2438709ccb7407d274424b4aa943b',
  '4bf9fe0dd4d84d21461164eec5f94bcb413dffa223fe362dc40e2adcc257ad69',
  '2461fdf992bd5dc5d8086529d3409819bc0bfdb3fefa549eca6cc3daf5f0fb75',
  '415a212397eb4d87dbd2a221b8c607eead8aacdad9aa5cd39a7a9cf2978009ab',
  'd6b2d7b4fb777a1136258e3dd9732c47e5b2c126a09bd72c3ef160e82c0fe0b4',
  'b9aa86485e6e89f230b9be11ebfaafcb018df3885c59267ee744e9df7218b3d5',
  'd40716a94ba4181e796edc6588aa10ab4c6288ba3b715654f9aa40000f954bef',
  '042783ea216141d3840420251653faa1ebbe996dd10b3ee5f0212e34574c956d',
  'c43a9f27a67e7f322e76a6d61c3d03396527a3183acb9112771122a6d5385bbd',
]

test('no migration has been edited, and each has its hash here', () => {
  expect(migrations().map((sql) => createHash('sha256').update(sql).digest('hex'))).toEqual(HASHES)
})
