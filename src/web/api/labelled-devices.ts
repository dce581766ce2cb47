import type { DeviceLimit } from '../../base/device-limit.ts'
import { includesLabels, type Labels, labelsText } from '../../base/labels.ts'
import type { RegistryReads } from '../../store/registry.ts'

/** Most sets of labels whose devices are kept: as many as there may be keys. */
const MOST_KEPT = 1000

/** Finds the devices that keys are limited to by labels; kept while no label changes. */
export class LabelledDevices {
  readonly #registry: Pick<RegistryReads, 'labelsVersion' | 'labelled'>
  #version = -1
  readonly #kept = new Map<string, Promise<DeviceLimit>>()

  constructor(registry: Pick<RegistryReads, 'labelsVersion' | 'labelled'>) {
    this.#registry = registry
  }

  /** Returns the devices with all of these labels. A label that has changed counts from the next call on. */
  async with(labels: Labels): Promise<DeviceLimit> {
    const version = await this.#registry.labelsVersion()
    if (version !== this.#version || this.#kept.size >= MOST_KEPT) {
      this.#version = version
      this.#kept.clear()
    }
    const key = labelsText(labels) ?? ''
    let limit = this.#kept.get(key)
    if (limit === undefined) {
      limit = this.#read(labels)
      this.#kept.set(key, limit)
      // What failed is tried again.
      limit.catch(() => this.#kept.delete(key))
    }
    return limit
  }

  async #read(labels: Labels): Promise<DeviceLimit> {
    const devices = await this.#registry.labelled()
    return { ids: new Set(devices.filter((device) => includesLabels(device.labels, labels)).map(({ id }) => id)) }
  }
}
