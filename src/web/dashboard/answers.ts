import type { Static } from '../../base/typebox.ts'
import type { DEVICE } from '../api/schema/device.ts'
import type { DEVICE_DAYS } from '../api/schema/device-days.ts'
import type { FLEET, FLEET_MAP } from '../api/schema/fleet.ts'
import type { MESSAGES, WHOLE_MESSAGE } from '../api/schema/message.ts'
import type { REJECTS, REPLAYED } from '../api/schema/reject.ts'
import type { STATUS } from '../api/schema/status.ts'
import type { SUBSCRIPTIONS } from '../api/schema/subscription.ts'

export type {
  CarriedState,
  DayStatus,
  Explanation,
  Origin,
  OriginSources,
  PowerSpan,
  Reading,
} from '../../explain/explanation.ts'

export type FleetAnswer = Static<typeof FLEET>
export type FleetMapAnswer = Static<typeof FLEET_MAP>
export type FleetRow = FleetAnswer['rows'][number]
export type FleetSums = FleetAnswer['sums']
export type DeviceDaysAnswer = Static<typeof DEVICE_DAYS>
export type DeviceAnswer = Static<typeof DEVICE>
export type RejectsAnswer = Static<typeof REJECTS>
export type Reject = RejectsAnswer['rejects'][number]
export type ReplayAnswer = Static<typeof REPLAYED>
export type SubscriptionsAnswer = Static<typeof SUBSCRIPTIONS>
export type Subscription = SubscriptionsAnswer['subscriptions'][number]
export type MessagesAnswer = Static<typeof MESSAGES>
export type ListedMessage = MessagesAnswer['messages'][number]
export type WholeMessage = Static<typeof WHOLE_MESSAGE>

export type StatusAnswer = Static<typeof STATUS>
