import type { Static } from '../base/typebox.ts'
import type { EXPLANATION } from './schema/explanation.ts'
import type { CARRIED_STATE, COVERAGE, READING, SPAN } from './schema/parts.ts'

/** Names of states, indexed by the number under which each is carried (device-day.ts). */
export const POWER_NAMES = ['unknown', 'off', 'on'] as const
export const DOOR_NAMES = ['unknown', 'closed', 'open'] as const

/** An explanation of the stored figures of one device and local day; its schema describes each field. */
export type Explanation = Static<typeof EXPLANATION>
export type DayStatus = Explanation['status']
export type Coverage = Static<typeof COVERAGE>
export type CarriedState = Static<typeof CARRIED_STATE>
export type PowerSpan = Static<typeof SPAN>
export type Reading = Static<typeof READING>
export type { Origin, OriginSources, Sources } from './schema/sources.ts'
