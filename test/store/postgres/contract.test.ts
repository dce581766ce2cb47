import { testStore } from '../test-store.ts'
import { POSTGRES } from './engine.ts'

testStore(POSTGRES, [
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
