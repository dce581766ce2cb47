import { count, instant, integer, mapOf, nullable, number } from '../../../base/schema-fields.ts'
import type { ServerState } from '../../../base/server-state.ts'
import { Type } from '../../../base/typebox.ts'
import { REASONS } from '../../../event/reasons.ts'

const SINCE_MADE = 'since the store was made'

const HIDDEN = 'where the role of the store may not see it (`pg_monitor`)'

const SERVER = Type.Object(
  {
    replicas: count('Standbys that stream from the server.', 'standbys', 1),
    synchronousReplicas: nullable(count('Standbys that commits wait for.', 'standbys', 1), HIDDEN),
    replicationLagSeconds: nullable(
      number('How far the slowest standby is behind; 0 without one.', 'seconds', 0, { minimum: 0 }),
      HIDDEN,
    ),
    oldestTransactionSeconds: nullable(
      number('Age of the oldest transaction; 0 without one.', 'seconds', 0, { minimum: 0 }),
      HIDDEN,
    ),
    excessDeadRows: count('Dead rows beyond the live ones, in the table with the most; 0 if none.', 'rows', 0),
    partitionDaysAhead: integer(
      'Whole days after today for which all partitions exist; -1 if one of today is missing.',
      'days',
      8,
      { minimum: -1 },
    ),
  } satisfies Record<keyof ServerState, unknown>,
  { description: 'The PostgreSQL server that holds the store.' },
)

export const STATUS = Type.Object(
  {
    queue: nullable(
      Type.Object(
        {
          waiting: count('Batches that wait for a worker.', 'batches', 0),
          active: count('Batches that a worker has in hand.', 'batches', 1),
          delayed: count('Batches that failed and will be tried again.', 'batches', 0),
          failed: count('Batches that failed too often, and are kept.', 'batches', 0),
        },
        { description: 'Batches in the queue.' },
      ),
      'where there is no queue',
    ),
    landed: count(`Events that have landed, ${SINCE_MADE}.`, 'events', 52_810),
    erased: count(`Landed events that have been erased, ${SINCE_MADE}.`, 'events', 0),
    rejected: count(`Events that were rejected, ${SINCE_MADE}.`, 'events', 3),
    rejectsDropped: count('Of these, events that are not kept any more.', 'events', 0),
    rejectedByReason: mapOf(
      `Rejected events of each reason, ${SINCE_MADE}; reasons without any are left out. Reasons: ${REASONS.map((reason) => `\`${reason}\``).join(', ')}.`,
      count('Events of this reason.', 'events', 2),
      { 'out-of-range': 2, 'bad-at': 1 },
    ),
    devices: count('Registered devices.', 'devices', 120),
    dueSegments: count('Groups of landed events that no rollup has taken up yet.', 'groups', 0),
    dueDevices: count('Entries for devices whose days must be computed again.', 'entries', 0),
    lateDays: count('UTC days before today with events that no rollup has taken up yet.', 'days', 0),
    oldestDueAt: nullable(
      instant('Of the oldest event that no rollup has taken up yet.', '2026-11-20T09:05:00.000Z'),
      'where no rollup has anything to take up',
      null,
    ),
    lagSeconds: number('Time since the last rollup while something is due; 0 while nothing is.', 'seconds', 0, {
      minimum: 0,
    }),
    lastCloseAt: nullable(
      instant('Days that had closed by then are settled, as far as their events had come.', '2026-11-20T09:05:00.000Z'),
      'before the first rollup',
    ),
    lastRollupAt: nullable(instant('When the last rollup was.', '2026-11-20T09:15:00.000Z'), 'before the first'),
    messages: Type.Object(
      {
        waiting: count('Messages that have not been delivered yet.', 'messages', 0),
        failed: count('Messages that were given up.', 'messages', 0),
        oldestAt: nullable(
          instant('When the oldest one that waits was made.', '2026-11-20T09:20:00.000Z'),
          'where none waits',
          null,
        ),
      },
      { description: 'Messages of subscriptions.' },
    ),
    server: nullable(SERVER, 'where the store is a file'),
  },
  { $id: 'Status', description: 'The state of the pipeline.' },
)
