import { MOST_DAYS } from '../../report/report.ts'
import { onFirstUse } from '../api/asset.ts'
import { renderChapters } from './chapters.ts'

/** Points that INTERFACE.md leaves open, by section number, and how this service handles them. */
export const SILENT_POINTS: readonly { section: string; point: string; answer: string }[] = [
  {
    section: '2.2',
    point: 'Which time zone a day is of',
    answer:
      "the device's own: that of its placement in force. Where a device moves to another zone, the day under way runs on to the next midnight there of a later date; a day that ends at the very instant of the move is over. The daytime bounds of such a day are the first instants at which the clock in force reads them, on the day's own date.",
  },
  {
    section: '2.2',
    point: 'A device without data',
    answer:
      'it has an entry: counts, hours and `distanceMore` are 0, temperatures and `distance` are null. Unknown is never 0: time before the first power event, and beyond the silence limit, counts neither as on nor as off.',
  },
  {
    section: '2.3',
    point: 'As of when `location`, `address` and `throwinDate` are',
    answer:
      'now, whatever the range: the latest fix, and the placement in force now. One that starts in the future does not count yet. They are null where none is known.',
  },
  {
    section: '2.4',
    point: 'Whether numbers are integers or decimals',
    answer:
      'days, counts and flags are integers. Temperatures and metres have at most 2 decimals, hours at most 4: rounded once, from exact sums, half away from zero, and never -0. Flags come from unrounded values.',
  },
  { section: '2.4', point: 'Unit of `setTemp`, `maxTemp` and `minTemp`', answer: '°C, as `currTemp`.' },
  {
    section: '3',
    point: 'States',
    answer:
      'both operations only read. A day that is not over counts up to its last rollup; once it has closed, its figures change only where something new is learnt of it, such as late events.',
  },
  {
    section: '4.3',
    point: 'Media type and headers',
    answer:
      'a body is read as JSON (UTF-8) whatever `Content-Type` says, and no header is needed but that of the key. Unknown fields are ignored. Answers are `application/json; charset=utf-8`, unless `Accept` or `?format=` asks for a file.',
  },
  {
    section: '4.3',
    point: 'Whether days are required, and bad ones',
    answer:
      '`day`, `startDay` and `endDay` are required, each an integer YYYYMMDD that is in the calendar. Anything else, and an `endDay` before its `startDay`, is a `bad-request`.',
  },
  {
    section: '4.3',
    point: 'Paging',
    answer:
      'there is none: `deviceStatusList` has one entry for each device, in ascending order of `assertId` by UTF-16 units, and `deviceCount` is their number.',
  },
  {
    section: '4.3',
    point: 'Which devices are selected',
    answer:
      'all registered ones where `assertIds` is left out or null, none for `[]`. A field or parameter that is surely a misspelt `assertIds` (`assetIds`, `deviceIds`, `ids` and the like, in any letter case) is answered with 400. Unknown identifiers are left out, repeated ones count once. A retired device is left out of reports of all devices on days after its retirement; asked for by its identifier it has its entry.',
  },
  {
    section: '5',
    point: 'Authentication',
    answer:
      'by API keys, see Keys. A key that is limited to some devices sees no other: they are as if they were unknown.',
  },
  {
    section: '6',
    point: 'Events',
    answer: 'none are sent out. Telemetry comes in by `POST /v1/telemetry`, or by a queue.',
  },
  {
    section: '7',
    point: 'Errors',
    answer: 'the same envelope with `data` null and a stable `code`; `status` is the HTTP status, see Errors.',
  },
  {
    section: '8',
    point: `Whether the ${MOST_DAYS} days count both ends`,
    answer: `they do: from \`startDay\` to \`endDay\` there are at most ${MOST_DAYS} days, both counted.`,
  },
  {
    section: '8',
    point: 'A cap on identifiers',
    answer:
      'some 99 000; and the body of a report has at most 4 MiB, into which 40 000 identifiers of 100 characters fit.',
  },
  {
    section: '8',
    point: 'Rate limits',
    answer:
      'none unless `COOLER_RATE_LIMIT` is set: so many requests a minute for each key, and as many at once; further ones are answered 429 with `Retry-After`.',
  },
  {
    section: '9',
    point: 'Versioning',
    answer:
      'the two report operations keep their paths, which have no version. Our own calls for data are below `/v1`. Fields may be added to answers: pass over those that you do not know.',
  },
]

const KEYS = `Without configured keys everybody on this machine may call, and nobody else (unless \`COOLER_INSECURE\` is 1). With keys, send one as \`Authorization: Bearer KEY\` or as \`X-API-Key: KEY\`. A key has scopes:

- \`read\`: reports, devices, explanations and the status.
- \`ingest\`: sending telemetry.
- \`admin\`: everything.

A key may be limited to some devices, by ids or labels; what is of all devices is not for it.`

const NUMBERS = `Days are integers YYYYMMDD, local days of the device. Instants are RFC 3339 texts in UTC. Every field tells its unit, and when it is null: null is what is not known.

Answers over 1 KiB are compressed as \`Accept-Encoding\` says (gzip or br).`

const silentLines = SILENT_POINTS.map(({ section, point, answer }) => `- **${point} (${section})**: ${answer}`).join(
  '\n',
)

/** Returns the introduction of the document, in CommonMark with tables: how to call, and the chapters of the reference. */
export const introduction = onFirstUse(
  () => `Telemetry of commercial coolers in, reports of their status out: one day, or a range of at most ${MOST_DAYS} days.

## Keys

${KEYS}

## Days, instants and numbers

${NUMBERS}

## What the interface leaves open, and what we do

The interface of the two report operations spells the asset identifier \`assertId\`, and the list of them \`assertIds\`. So do these two operations; everywhere else it is \`deviceId\`, or the \`id\` of a device. On other points the interface says nothing; the numbers are those of its sections.

${silentLines}

${renderChapters()}`,
)
