import { workerData } from 'piscina'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { openStoreReader, type StoreOptions } from '../store/open-store.ts'
import { deviceReadings, type ReadingsRequest } from './device-readings.ts'
import { type ExplainRequest, explainDay } from './explain-day.ts'

/** The start data of an explaining thread. */
export interface ExplainThreadData {
  store: StoreOptions
  settings: RollupSettings
}

const data = workerData as ExplainThreadData
stepBack('computing')
const opened = once(() => openStoreReader(data.store))

/** Explains a device-day. Runs on a thread, because a day that is not compacted is read for the whole shard. */
export const explain = threadTask(async (request: ExplainRequest) => explainDay(await opened(), data.settings, request))

/** Reads a page of a device's readings, for the same reason. */
export const readings = threadTask(async (request: ReadingsRequest) => deviceReadings(await opened(), request))

export type ExplainTasks = { explain: typeof explain; readings: typeof readings }
