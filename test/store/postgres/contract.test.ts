import { testStore } from '../test-store.ts'
import { POSTGRES } from './engine.ts'

testStore(POSTGRES, ['landing', 'placements', 'pruning', 'registry', 'revisions', 'turns'])
