import { millisecondsInDay } from '../base/time.ts'
import { FURTHEST_DATES } from '../rollup/local-day.ts'
import type { DeviceState } from '../store/rollup-store.ts'
import { WEEK_DAYS } from '../store/week.ts'
import type { BlockOutput, SlotDifference } from './block-check.ts'
import { type ChunkScope, isRegistered } from './chunk-scope.ts'
import type { Difference, DifferentFields } from './difference.ts'
import type { DueEvents } from './due-events.ts'
import type { RepairPlan } from './repair-plan.ts'
import type { VerifyResult } from './verify-task.ts'

/** Collects the differences found in one chunk. */
export class Findings implements BlockOutput {
  readonly result: VerifyResult
  readonly #scope: ChunkScope
  readonly #most: number
  readonly #due: DueEvents
  readonly #plan: RepairPlan | null
  readonly #blocks = new Set<number>()

  /** @param most most differences to keep. @param plan receives all of them; null if nothing is to be repaired. */
  constructor(scope: ChunkScope, most: number, due: DueEvents, plan: RepairPlan | null) {
    this.#scope = scope
    this.#most = most
    this.#due = due
    this.#plan = plan
    const counts = { devices: 0, deviceDays: 0, dueDevices: 0, dueDays: 0, withoutRaw: 0, differing: 0 }
    this.result = { ...counts, differences: [], blocks: [] }
  }

  counted(compared: number, withoutRaw: number): void {
    this.result.deviceDays += compared
    this.result.withoutRaw += withoutRaw
  }

  async different(difference: SlotDifference): Promise<void> {
    const { device, block, day, stored, computed, fields } = difference
    const endsBy =
      computed === null ? (day + 1 + FURTHEST_DATES) * millisecondsInDay : computed.startAt + computed.lengthMs
    if (await this.#due.reachBefore(device, endsBy)) {
      this.result.dueDays++
      return
    }
    const kind = stored === null ? 'missing' : computed === null ? 'superfluous' : 'different'
    this.#tell(block, { device, day, kind, fields })
    this.#plan?.different(difference, isRegistered(this.#scope, device))
  }

  unreadable({ block, day, devices }: { block: number; day: number; devices: readonly number[] }): void {
    for (const device of devices) this.#tell(block, { device, day, kind: 'damaged', fields: {} })
    this.#plan?.unreadable({ block, day })
  }

  misformed(row: Parameters<BlockOutput['misformed']>[0]): void {
    const { block, day, device, fields } = row
    this.#tell(block, { device, day, kind: 'row', fields })
    this.#plan?.misformed(row)
  }

  /** Reports sums of a week that are not those of its days. */
  wrongWeek(block: number, week: number, device: number): void {
    this.#tell(block, { device, day: week * WEEK_DAYS, kind: 'row', fields: {} })
    this.#plan?.wrongWeek({ block, week })
  }

  /** Reports unreadable raw events of a UTC day. Rows of the local days that need them are left as they are. */
  rawDamaged(block: number, device: number, utcDay: number): void {
    this.#tell(block, { device, day: utcDay, kind: 'raw', fields: {} })
    this.#plan?.keepRow(block, utcDay)
  }

  /** Reports a damaged state that cannot be computed, because not all events of the device are read or still there. */
  stateLost(block: number, device: number): void {
    this.#tell(block, { device, day: null, kind: 'damaged', fields: {} })
  }

  state(block: number, device: number, fields: DifferentFields, computed: DeviceState | null): void {
    this.#tell(block, { device, day: null, kind: 'state', fields })
    this.#plan?.state(device, computed)
  }

  #tell(block: number, difference: Difference): void {
    this.result.differing++
    if (this.result.differences.length < this.#most) this.result.differences.push(difference)
    if (!this.#blocks.has(block)) this.result.blocks.push(block)
    this.#blocks.add(block)
  }
}
