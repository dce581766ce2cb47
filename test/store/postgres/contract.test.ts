import { testStore } from '../test-store.ts'
import { POSTGRES } from './engine.ts'

testStore(POSTGRES, ['landing', 'messages', 'notices', 'placements', 'pruning', 'registry', 'revisions', 'turns'])
