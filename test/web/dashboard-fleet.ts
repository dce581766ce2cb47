import { type TemporaryService, temporaryService } from '../helpers/temporary-service.ts'
import type { OnEnd } from '../helpers/temporary-store.ts'
import { storeLocation } from './dashboard-fixture.ts'

/** The day of which a made fleet has figures. */
export const FLEET_DAY = 20250601
const EPOCH_DAY = 20_240

/** A service of many coolers, whose figures were made and not rolled up. */
export async function filledFleet(devices: number, onEnd: OnEnd): Promise<TemporaryService> {
  const location = await storeLocation(onEnd)
  const { makeReportStore } = await import(new URL('../bench/report-store.mjs', import.meta.url).href)
  await makeReportStore(location, { devices, days: 1, firstDay: EPOCH_DAY })
  return temporaryService({ api: true, work: false }, { COOLER_STORE: location }, onEnd)
}
