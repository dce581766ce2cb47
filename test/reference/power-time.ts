import type { KeptEvent } from './kept-event.ts'
import type { Window } from './local-day.ts'

/** The state from an instant on, as far as events tell it. */
type PowerState = boolean | null

/** A span over which a known state counts. */
type KnownSpan = Window & { on: boolean }

export interface PowerTime {
  onMs: number
  onDaytimeMs: number
  offMs: number
}

/**
 * The state after all events of one instant, in their order (RULES.md section 2). Contrary events without `seq` leave
 * it as it was, off where it was unknown; those with `seq` come after them.
 */
function stateAfter(before: PowerState, events: readonly KeptEvent[]): PowerState {
  const power = events.filter((event) => event.type === 'power')
  const unnumbered = power.filter((event) => event.seq === null).map((event) => event.on)
  let state = before
  if (unnumbered.includes(true) && unnumbered.includes(false)) state = before ?? false
  else if (unnumbered.length > 0) state = unnumbered[0] as boolean
  for (const event of power) if (event.seq !== null) state = event.on
  return state
}

function byInstant(events: readonly KeptEvent[]): Map<number, KeptEvent[]> {
  const groups = new Map<number, KeptEvent[]>()
  for (const event of events) {
    const group = groups.get(event.at)
    if (group === undefined) groups.set(event.at, [event])
    else group.push(event)
  }
  return groups
}

/** Of each gap between neighbouring events, and of that after the last, only its first `limitMs` count (section 3). */
function knownSpans(ordered: readonly KeptEvent[], limitMs: number): KnownSpan[] {
  const groups = [...byInstant(ordered.filter((event) => event.type !== 'placement'))]
  const spans: KnownSpan[] = []
  let state: PowerState = null
  groups.forEach(([start, events], i) => {
    state = stateAfter(state, events)
    const next = groups[i + 1]?.[0] ?? Infinity
    if (state !== null) spans.push({ start, end: Math.min(next, start + limitMs), on: state })
  })
  return spans
}

const overlapMs = (a: Window, b: Window) => Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))

/** On-time and off-time of a day up to `asOfMs` (RULES.md section 3), from all events of the device in their order. */
export function powerTimeOf(
  ordered: readonly KeptEvent[],
  day: Window,
  daytime: Window,
  limitMs: number,
  asOfMs: number,
): PowerTime {
  const untilAsOf = (window: Window) => ({ start: window.start, end: Math.min(window.end, asOfMs) })
  const time: PowerTime = { onMs: 0, onDaytimeMs: 0, offMs: 0 }
  for (const span of knownSpans(ordered, limitMs)) {
    const inDay = overlapMs(span, untilAsOf(day))
    if (span.on) {
      time.onMs += inDay
      time.onDaytimeMs += overlapMs(span, untilAsOf(daytime))
    } else time.offMs += inDay
  }
  return time
}
