import { count, flag, instant, integer, mark, nullable, number, oneOf, text } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import { EVENT_TYPES } from '../../event/fields.ts'
import { FIGURE_NAMES } from '../../rollup/figures/figures.ts'
import { UNKNOWN_REASONS, type UnknownReason } from '../../rollup/fold-trace.ts'
import { DOOR_NAMES, POWER_NAMES } from '../explanation.ts'
import { PURGED } from './sources.ts'

const MORNING = '2026-11-20T08:05:00.000Z'
const EVENING = '2026-11-20T21:00:00.000Z'

const seconds = (description: string, example: number) => number(description, 'seconds', example, { minimum: 0 })

/** Returns the fields for the length of a span, and for how much of it was on, off and unknown. */
const lengths = (of: string, hours: number, unknown: number) => ({
  lengthSeconds: seconds(`Length of the ${of}.`, hours * 3600),
  passedSeconds: seconds('How much of it had passed at the last rollup.', hours * 3600),
  onSeconds: seconds('Time powered on.', hours * 3600 - unknown),
  offSeconds: seconds('Time powered off.', 0),
  unknownSeconds: seconds('Time that counts neither as on nor as off.', unknown),
})

const daytime = lengths('daytime', 12, 0)

export const COVERAGE = Type.Object(
  {
    ...lengths('day', 24, 1800),
    unknownBecause: nullable(
      Type.Object(
        Object.fromEntries(
          UNKNOWN_REASONS.map((reason) => [
            reason,
            seconds(`Unknown because of \`${reason}\`.`, reason === 'silence' ? 0 : 900),
          ]),
        ) as Record<UnknownReason, ReturnType<typeof seconds>>,
        { description: 'Unknown time by reason.' },
      ),
      PURGED,
    ),
    daytime: nullable(
      Type.Object(
        {
          ...daytime,
          offSeconds: nullable(daytime.offSeconds, PURGED),
          unknownSeconds: nullable(daytime.unknownSeconds, PURGED),
        },
        { description: 'The same of the daytime.' },
      ),
      'where its bounds are',
    ),
    firstHeardAt: nullable(instant('First event of the day, placements aside.', MORNING), `without one, and ${PURGED}`),
    lastHeardAt: nullable(instant('Last event of the day, placements aside.', EVENING), 'without one'),
    longestSilence: nullable(
      Type.Object(
        {
          seconds: seconds('Its length.', 39_300),
          from: instant('The event before it.', MORNING),
          to: instant('The event after it, or the end of what had passed of the day.', '2026-11-20T19:00:00.000Z'),
        },
        { description: 'The longest span without an event that ends in the day; it may begin before the day.' },
      ),
      `where the device was never heard, and ${PURGED}`,
    ),
  },
  {
    $id: 'Coverage',
    description: 'How much of the day was on, off and unknown; the three add up to its length.',
  },
)

export const CARRIED_STATE = Type.Object({
  power: oneOf('The power.', POWER_NAMES, 'on'),
  door: oneOf('The door.', DOOR_NAMES, 'closed'),
  lastHeardAt: nullable(instant('The last event, placements aside.', EVENING), 'before the first'),
  visitorTotal: nullable(count('The last running counter of visitors.', 'visitors', 1042), 'before the first'),
})

export const SPAN = Type.Object(
  {
    state: oneOf('The power.', POWER_NAMES, 'on'),
    why: Type.Optional(oneOf('Why it is unknown; left out where it is not.', UNKNOWN_REASONS, 'silence')),
    from: instant('Its start.', MORNING),
    to: instant('Its end.', '2026-11-20T20:00:00.000Z'),
    seconds: seconds('Its length.', 42_900),
    daytimeSeconds: seconds('How much of it is daytime.', 32_100),
  },
  {
    $id: 'PowerSpan',
    description: 'A span of the day in one power state.',
    examples: [{ state: 'on', from: MORNING, to: '2026-11-20T20:00:00.000Z', seconds: 42_900, daytimeSeconds: 32_100 }],
  },
)

const degrees = (description: string, example: number) => number(description, 'decimal degrees', example)
const celsius = (description: string, example: number) => number(description, '°C', example)

/** The kept values of an event; its type decides which of them it has. */
const kept = {
  open: flag('Of a door: whether it was opened.', true),
  count: count('Of a door or of visitors: how many since the last report.', 'events or visitors', 6),
  celsius: celsius('Measured temperature.', 3.4),
  setpoint: celsius('Set temperature.', 4),
  on: flag('Whether the power is on.', true),
  lat: degrees('Latitude of a fix.', 52.5201),
  lon: degrees('Longitude of a fix.', 13.4051),
  total: count('Running counter of visitors.', 'visitors', 1042),
}

/** The effects of an event; each field is there only if it applies. */
const effects = {
  repeat: mark('The same event has come before: it counts nothing.'),
  counts: count('Visitors or door events that it added.', 'visitors or events', 6),
  totalBefore: nullable(count('The running counter before this one.', 'visitors', 1039), 'at the first'),
  restarted: mark('The running counter is below nine tenths of the one before: it has restarted.'),
  state: oneOf('The power from here on.', POWER_NAMES, 'on'),
  contrary: mark('Another event of the same instant says otherwise: the power stays as it was.'),
  endsSilence: mark('Heard again after more than the silence limit: the power of before holds again.'),
  deviationMeters: number('How far the fix is from where the device is meant to stand.', 'metres', 12.08, {
    minimum: 0,
  }),
  spike: mark('The fix is left out: nothing can have moved so fast.'),
}

/** What an event of any type was. */
const observed = {
  at: instant('When it happened.', MORNING),
  seq: Type.Optional(integer("The device's own counter.", 'events', 7, { minimum: 0 })),
  type: oneOf('What was observed.', EVENT_TYPES, 'temperature'),
  ...Type.Partial(Type.Object(kept)).properties,
}

export const READING = Type.Object(
  {
    ...observed,
    figures: Type.Array(oneOf('Name of a figure.', FIGURE_NAMES, 'currTemp'), {
      description: 'Figures that it concerns; an extreme only where it is one.',
    }),
    ...Type.Partial(Type.Object(effects)).properties,
  },
  {
    $id: 'Reading',
    description: 'One event, with its kept values, and what it did. Fields that do not apply are left out.',
    examples: [{ at: MORNING, type: 'temperature', celsius: 3.4, setpoint: 4, figures: ['currTemp', 'setTemp'] }],
  },
)

export const LANDED_READING = Type.Object(
  {
    ...observed,
    address: Type.Optional(text('Address that came with the fix.', 'Hauptstraße 1')),
    repeat: Type.Optional(effects.repeat),
  },
  {
    $id: 'LandedReading',
    description: 'One landed event with its kept values. Fields that do not apply are left out.',
    examples: [{ at: MORNING, type: 'temperature', celsius: 3.4, setpoint: 4 }],
  },
)
