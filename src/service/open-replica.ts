import { CoolerError } from '../base/errors.ts'
import { openStoreReader, type Store, type StoreOptions } from '../store/open-store.ts'

/**
 * Opens a replica of a store for reading.
 *
 * @throws CoolerError as openStoreReader; `bad-configuration` if it is no replica of the store
 */
export async function openReplica(store: Store, options: StoreOptions): Promise<Store> {
  const replica = await openStoreReader({ ...options, replica: true })
  try {
    if ((await replica.health.origin()) === (await store.health.origin())) return replica
    throw new CoolerError(
      'bad-configuration',
      'COOLER_REPORT_STORE is no replica of COOLER_STORE: name servers that stream from its primary, and its database',
    )
  } catch (error) {
    await replica.close()
    throw error
  }
}
