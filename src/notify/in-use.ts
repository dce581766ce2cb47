import { EXCEPTION_NAMES, type ExceptionLimits } from '../base/exceptions.ts'
import { type Selects, selects } from '../report/device-selection.ts'
import type { StoredSubscription } from '../store/notices.ts'
import type { Damages } from './damages.ts'
import { bitOf, limitsOf } from './notice.ts'
import { readSubscription } from './stored.ts'
import { type ExceptionSubscription, exceptionsAsked, type Subscription } from './subscription.ts'

/** A subscription that is in use. */
export interface InUse<Kind extends Subscription = Subscription> {
  id: string
  /** Epoch ms. */
  createdAt: number
  subscription: Kind
}

/** Returns the subscriptions that are enabled and have not ended. Those that cannot be read count as damage. */
export function inUse(stored: readonly StoredSubscription[], damages: Damages): InUse[] {
  return stored.flatMap((one) => {
    const { id, createdAt, endedWhy } = one
    const subscription = endedWhy === null ? damages.read(() => readSubscription(one)) : null
    return subscription === null || subscription.enabled === false ? [] : [{ id, createdAt, subscription }]
  })
}

/** Returns the subscriptions of one kind. */
export const ofKind = <Kind extends Subscription['kind']>(
  all: readonly InUse[],
  kind: Kind,
): InUse<Extract<Subscription, { kind: Kind }>>[] =>
  all.filter((one) => one.subscription.kind === kind) as InUse<Extract<Subscription, { kind: Kind }>>[]

/** An exception subscription, ready to be compared with days. */
export interface Watch {
  id: string
  createdAt: number
  /** The exceptions asked for, as bits. */
  mask: number
  limits: ExceptionLimits
  /** Whether open days count, too. */
  provisional: boolean
  selects: Selects
}

/** Prepares subscriptions for comparison. @param settings limits for subscriptions without limits of their own */
export const watchesOf = (all: readonly InUse<ExceptionSubscription>[], settings: ExceptionLimits): Watch[] =>
  all.map(({ id, createdAt, subscription }) => ({
    id,
    createdAt,
    mask: exceptionsAsked(subscription).reduce((mask, name) => mask | bitOf(name), 0),
    limits: limitsOf(subscription, settings),
    provisional: subscription.when === 'provisional',
    selects: selects(subscription.devices),
  }))

/** Exceptions that a day without a rollup can have, as bits. They begin by the passing of time alone. */
export const SILENT_BITS = EXCEPTION_NAMES.filter((name) => name === 'silent' || name === 'no-power-data').reduce(
  (mask, name) => mask | bitOf(name),
  0,
)
