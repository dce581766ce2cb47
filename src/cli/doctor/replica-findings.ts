import { CoolerError } from '../../base/errors.ts'
import { type Finding, fault, ok } from '../../base/finding.ts'
import type { Config } from '../../config/config.ts'
import { openReplica } from '../../service/open-replica.ts'
import { storeOptions } from '../../service/pipeline.ts'
import { openStoreReader, shownLocation } from '../../store/open-store.ts'

const CHECK = 'report store'

/** Checks the replicas that reports are read from, where the settings name some. The store must be readable. */
export async function replicaFindings(config: Config): Promise<Finding[]> {
  const { reportStore } = config
  if (reportStore === null) return []
  const store = await openStoreReader(storeOptions(config))
  try {
    const replica = await openReplica(store, { ...storeOptions(config), location: reportStore })
    const versions = [await replica.rollups.reportVersion(), await store.rollups.reportVersion()]
    await replica.close()
    return [ok(CHECK, `${shownLocation(reportStore)}, at version ${versions[0]}; the store is at ${versions[1]}`)]
  } catch (error) {
    if (!(error instanceof CoolerError)) throw error
    const advice = 'correct COOLER_REPORT_STORE, or start the server; until then reports come from COOLER_STORE'
    return [fault(CHECK, 'warning', error.message, advice)]
  } finally {
    await store.close()
  }
}
