import { testStore } from '../test-store.ts'
import { SQLITE } from './engine.ts'

testStore(SQLITE, [
  'landing',
  'messages',
  'notices',
  'erased notices',
  'placements',
  'pruning',
  'registry',
  'revisions',
  'turns',
])
