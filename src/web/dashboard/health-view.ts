import type { StatusAnswer } from './answers.ts'
import { ask, Refusal } from './api.ts'
import { millisecondsOf } from './days.ts'
import { fill, h } from './dom.ts'
import { duration, instant, instantNow, nothing } from './format.ts'
import { say } from './messages.ts'
import { number } from './number.ts'
import { guarded, loading, READ_ALL } from './trouble.ts'
import { beginView, facts, panel, plainTable, type Stage } from './view.ts'

const EVERY_MS = 3000

/** Shows the state of the pipeline, and refreshes it while the view is open. */
export async function showHealth(stage: Stage): Promise<void> {
  const { signal } = stage
  beginView(stage, say('health-title'))
  const body = h('div', { 'aria-busy': 'true' }, loading())
  stage.main.append(h('p', { class: 'quiet' }, say('health-text')), body)
  let timer: number | undefined
  const look = async (): Promise<void> => {
    clearTimeout(timer)
    if (document.hidden || signal.aborted) return
    let isRefused = false
    await guarded(body, signal, READ_ALL, async () => {
      try {
        showStatus(body, await ask<StatusAnswer>('/v1/status', { signal }))
      } catch (error) {
        isRefused = error instanceof Refusal && (error.status === 401 || error.status === 403)
        throw error
      }
      body.removeAttribute('aria-busy')
    })
    // Without a key that may see it, the answer will not change by itself.
    if (!isRefused && !signal.aborted) timer = setTimeout(look, EVERY_MS)
  }
  document.addEventListener('visibilitychange', () => void look(), { signal })
  signal.addEventListener('abort', () => clearTimeout(timer))
  await look()
}

function showStatus(body: HTMLElement, status: StatusAnswer): void {
  const reasons = Object.entries(status.rejectedByReason).sort(([, one], [, other]) => other - one)
  const rows = reasons.map(([reason, count]) => [h('code', {}, reason), number(count)])
  const rejected = plainTable(say('health-rejected'), [[say('reason')], [say('count'), 'number']], rows)
  fill(
    body,
    verdict(status),
    h(
      'div',
      { class: 'grid' },
      panel(say('health-backlog'), backlog(status)),
      panel(say('health-rollups'), rollups(status)),
      panel(
        say('health-events'),
        facts([
          [say('landed'), number(status.landed)],
          [say('events-erased'), number(status.erased)],
          [say('rejected'), number(status.rejected)],
          [say('rejects-dropped'), number(status.rejectsDropped)],
          [say('devices'), number(status.devices)],
        ]),
      ),
      status.server ? panel('PostgreSQL', facts(serverFacts(status.server))) : null,
      rows.length === 0 ? null : panel(say('health-rejected'), rejected),
    ),
    h('p', { class: 'quiet more' }, say('health-at', { at: instantNow() })),
  )
}

/** Makes a verdict in one line: only the worst problem is named. */
function verdict({ queue, lateDays, dueSegments, dueDevices }: StatusAnswer): HTMLElement {
  const failed = queue?.failed ?? 0
  if (failed > 0) return h('p', { class: 'note bad' }, say('health-failed', { count: failed }))
  if (lateDays > 0) return h('p', { class: 'note' }, say('health-late', { days: lateDays }))
  const backlogged = (queue?.waiting ?? 0) + dueSegments + dueDevices > 0
  return h('p', { class: `note ${backlogged ? '' : 'good'}` }, say(backlogged ? 'health-due' : 'health-good'))
}

function backlog({ queue }: StatusAnswer): HTMLElement {
  if (queue === null) return h('p', { class: 'quiet' }, say('no-queue'))
  return facts([
    [say('queue-waiting'), number(queue.waiting)],
    [say('queue-active'), number(queue.active)],
    [say('queue-delayed'), number(queue.delayed)],
    [say('queue-failed'), number(queue.failed)],
  ])
}

function rollups(status: StatusAnswer): HTMLElement {
  const { dueSegments, dueDevices, lateDays, lastRollupAt, lastCloseAt, oldestDueAt, lagSeconds } = status
  return facts([
    [say('last-rollup'), agoOf(lastRollupAt)],
    [say('last-close'), agoOf(lastCloseAt)],
    ...(oldestDueAt === null ? [] : [[say('oldest-due'), agoOf(oldestDueAt)] as const]),
    [say('lag'), duration(lagSeconds)],
    [say('due-segments'), number(dueSegments)],
    [say('due-devices'), number(dueDevices)],
    [say('late-days'), number(lateDays)],
  ])
}

/** Returns the figures of the database server. Those that are hidden from the service are left blank. */
function serverFacts(server: NonNullable<StatusAnswer['server']>): [string, Node | string][] {
  const orNothing = (value: number | null, show: (value: number) => string) =>
    value === null ? nothing() : show(value)
  return [
    [say('replicas'), number(server.replicas)],
    [say('synchronous-replicas'), orNothing(server.synchronousReplicas, number)],
    [say('replication-lag'), orNothing(server.replicationLagSeconds, duration)],
    [say('oldest-transaction'), orNothing(server.oldestTransactionSeconds, duration)],
    [say('excess-dead-rows'), number(server.excessDeadRows)],
    [say('partition-days-ahead'), number(server.partitionDaysAhead)],
  ]
}

const agoOf = (at: string | null): string =>
  at === null
    ? say('never-heard')
    : `${instant(at)} (${say('ago', { time: duration(Math.max(0, Date.now() - millisecondsOf(at)) / 1000) })})`
