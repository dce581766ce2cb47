import { testStore } from '../test-store.ts'
import { SQLITE } from './engine.ts'

testStore(SQLITE, ['races with a landing'])
