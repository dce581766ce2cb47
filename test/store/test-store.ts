import { describe } from 'vitest'
import type { Store } from '../../src/store/open-store.ts'
import { eraseRaces } from './contract/erase-races.ts'
import { erasedNoticesContract } from './contract/erased-notices.ts'
import { landingContract } from './contract/landing.ts'
import { landingRaces } from './contract/landing-races.ts'
import { messagesContract } from './contract/messages.ts'
import { noticesContract } from './contract/notices.ts'
import { placementsContract } from './contract/placements.ts'
import { pruneRaces } from './contract/prune-races.ts'
import { pruningContract } from './contract/pruning.ts'
import { registryContract } from './contract/registry.ts'
import { revisionsContract } from './contract/revisions.ts'
import { turnsContract } from './contract/turns.ts'

/** A storage engine as its tests open it: fresh stores, closed and removed when the test ends. */
export interface Engine {
  name: string
  open(rejectsKept?: number): Promise<Store>
  /** Two connections to one fresh store. */
  connect(): Promise<[Store, Store]>
}

/** What every engine promises, by parts, so that they may run beside each other. */
const PROMISES = {
  landing: landingContract,
  messages: messagesContract,
  notices: noticesContract,
  'erased notices': erasedNoticesContract,
  placements: placementsContract,
  pruning: pruningContract,
  registry: registryContract,
  revisions: revisionsContract,
  turns: turnsContract,
  'races with a landing': landingRaces,
  'races with an erasure': eraseRaces,
  'races with pruning': pruneRaces,
}

export type Promised = keyof typeof PROMISES

/** Tests that an engine keeps these promises of the contract (src/store); all of them unless given. */
export function testStore(engine: Engine, parts = Object.keys(PROMISES) as Promised[]): void {
  for (const part of parts) describe(`${engine.name}: ${part}`, () => PROMISES[part](engine))
}
