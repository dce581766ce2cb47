import { testStore } from '../test-store.ts'
import { SQLITE } from './engine.ts'

testStore(SQLITE, ['landing', 'placements', 'pruning', 'registry', 'revisions', 'turns'])
