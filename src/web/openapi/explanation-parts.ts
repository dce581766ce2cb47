import { EVENT_TYPES } from '../../event/fields.ts'
import { DOOR_NAMES, POWER_NAMES } from '../../explain/explanation.ts'
import { FIGURE_NAMES } from '../../rollup/figures/figures.ts'
import { UNKNOWN_REASONS } from '../../rollup/fold-trace.ts'
import { count, flag, instant, integer, list, mark, number, object, oneOf, type Schema } from './schema.ts'

const PURGED = 'where the raw events have been deleted'
const MORNING = '2026-11-20T08:05:00.000Z'

const seconds = (description: string, example: number, nullWhen?: string): Schema =>
  number(description, { unit: 'seconds', minimum: 0, example, nullWhen })

/** Lengths in which on, off and unknown add up. */
const lengths = (of: string, hours: number, unknown: number, nullWhen?: string): Readonly<Record<string, Schema>> => ({
  lengthSeconds: seconds(`Length of the ${of}.`, hours * 3600),
  passedSeconds: seconds('How much of it had passed at the last rollup.', hours * 3600),
  onSeconds: seconds('Time powered on.', hours * 3600 - unknown),
  offSeconds: seconds('Time powered off.', 0, nullWhen),
  unknownSeconds: seconds('Time that counts neither as on nor as off.', unknown, nullWhen),
})

export const COVERAGE = object('How much of the day was on, off and unknown; the three add up to its length.', {
  ...lengths('day', 24, 1800),
  unknownBecause: object(
    'Unknown time by reason.',
    Object.fromEntries(
      UNKNOWN_REASONS.map((reason) => [
        reason,
        seconds(`Unknown because of \`${reason}\`.`, reason === 'silence' ? 0 : 900),
      ]),
    ),
    { nullWhen: PURGED },
  ),
  daytime: object('The same of the daytime.', lengths('daytime', 12, 0, PURGED), { nullWhen: 'where its bounds are' }),
  firstHeardAt: instant('First event of the day, placements aside.', MORNING, `without one, and ${PURGED}`),
  lastHeardAt: instant('Last event of the day, placements aside.', '2026-11-20T21:00:00.000Z', 'without one'),
  longestSilence: object(
    'The longest span without an event that ends in the day; it may begin before the day.',
    {
      seconds: seconds('Its length.', 39_300),
      from: instant('The event before it.', MORNING),
      to: instant('The event after it, or the end of what had passed of the day.', '2026-11-20T19:00:00.000Z'),
    },
    { nullWhen: `where the device was never heard, and ${PURGED}` },
  ),
})

export const CARRIED = {
  power: oneOf('The power.', POWER_NAMES, 'on'),
  door: oneOf('The door.', DOOR_NAMES, 'closed'),
  lastHeardAt: instant('The last event, placements aside.', '2026-11-20T21:00:00.000Z', 'before the first'),
  visitorTotal: count('The last running counter of visitors.', 'visitors', 1042, 'before the first'),
} as const satisfies Record<string, Schema>

export const SPAN = object(
  'A span of the day in one power state.',
  {
    state: oneOf('The power.', POWER_NAMES, 'on'),
    why: oneOf('Why it is unknown; left out where it is not.', UNKNOWN_REASONS, 'silence'),
    from: instant('Its start.', MORNING),
    to: instant('Its end.', '2026-11-20T20:00:00.000Z'),
    seconds: seconds('Its length.', 42_900),
    daytimeSeconds: seconds('How much of it is daytime.', 32_100),
  },
  {
    optional: ['why'],
    example: { state: 'on', from: MORNING, to: '2026-11-20T20:00:00.000Z', seconds: 42_900, daytimeSeconds: 32_100 },
  },
)

const degrees = (description: string, example: number): Schema =>
  number(description, { unit: 'decimal degrees', example })
const celsius = (description: string, example: number): Schema => number(description, { unit: '°C', example })

/** The values of an event that are kept: which there are depends on its type. */
const kept: Readonly<Record<string, Schema>> = {
  open: flag('Of a door: whether it was opened.', true),
  count: count('Of a door or of visitors: how many since the last report.', 'events or visitors', 6),
  celsius: celsius('Measured temperature.', 3.4),
  setpoint: celsius('Set temperature.', 4),
  on: flag('Whether the power is on.', true),
  lat: degrees('Latitude of a fix.', 52.5201),
  lon: degrees('Longitude of a fix.', 13.4051),
  total: count('Running counter of visitors.', 'visitors', 1042),
}

/** What the event did: each field only where it applies. */
const effects: Readonly<Record<string, Schema>> = {
  repeat: mark('The same event has come before: it counts nothing.'),
  counts: count('Visitors or door events that it added.', 'visitors or events', 6),
  totalBefore: count('The running counter before this one.', 'visitors', 1039, 'at the first'),
  restarted: mark('The running counter is below nine tenths of the one before: it has restarted.'),
  state: oneOf('The power from here on.', POWER_NAMES, 'on'),
  contrary: mark('Another event of the same instant says otherwise: the power stays as it was.'),
  endsSilence: mark('Heard again after more than the silence limit: the power of before holds again.'),
  deviationMeters: number('How far the fix is from where the device is meant to stand.', {
    unit: 'metres',
    minimum: 0,
    example: 12.08,
  }),
  spike: mark('The fix is left out: nothing can have moved so fast.'),
}

export const READING = object(
  'One event, with its kept values, and what it did. Fields that do not apply are left out.',
  {
    at: instant('When it happened.', MORNING),
    seq: integer("The device's own counter.", { unit: 'events', minimum: 0, example: 7 }),
    type: oneOf('What was observed.', EVENT_TYPES, 'temperature'),
    ...kept,
    figures: list(
      'Figures that it concerns; an extreme only where it is one.',
      oneOf('Name of a figure.', FIGURE_NAMES, 'currTemp'),
    ),
    ...effects,
  },
  {
    optional: ['seq', ...Object.keys(kept), ...Object.keys(effects)],
    example: { at: MORNING, type: 'temperature', celsius: 3.4, setpoint: 4, figures: ['currTemp', 'setTemp'] },
  },
)
