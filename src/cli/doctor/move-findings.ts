import { CoolerError } from '../../base/errors.ts'
import { type Finding, fault } from '../../base/finding.ts'
import type { Config } from '../../config/config.ts'
import { storeOptions } from '../../service/pipeline.ts'
import { reasonNotToUse } from '../../store/moving.ts'
import { openStoreReader } from '../../store/open-store.ts'

const CHECK = 'store move'

/** Tells whether the store may not be used because of a move; nothing where it may. The store must be readable. */
export async function moveFindings(config: Config): Promise<Finding[]> {
  try {
    const store = await openStoreReader(storeOptions(config))
    const why = reasonNotToUse(await store.moving.state())
    await store.close()
    return why === null ? [] : [fault(CHECK, 'failure', why, null)]
  } catch (error) {
    if (!(error instanceof CoolerError)) throw error
    return [fault(CHECK, 'failure', error.message, null)]
  }
}
