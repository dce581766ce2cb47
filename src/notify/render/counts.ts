import { EXCEPTION_NAMES, type ExceptionName } from '../../base/exceptions.ts'
import type { ExceptionItem } from '../message.ts'

const CHANGES = ['began', 'ended'] as const

export interface Count {
  exception: ExceptionName
  change: ExceptionItem['change']
  count: number
}

/** Counts items by change and exception, in that order; combinations without items are left out. */
export function countsOf(items: readonly ExceptionItem[]): Count[] {
  const counts = new Map<string, number>()
  for (const { exception, change } of items) {
    const key = `${change} ${exception}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return CHANGES.flatMap((change) =>
    EXCEPTION_NAMES.map((exception) => ({ exception, change, count: counts.get(`${change} ${exception}`) ?? 0 })),
  ).filter(({ count }) => count > 0)
}
