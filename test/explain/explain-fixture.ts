import { parseDay } from '../../src/base/time.ts'
import { type ExplainRequest, explainDay } from '../../src/explain/explain-day.ts'
import type { Explanation, Reading } from '../../src/explain/explanation.ts'
import type { Store } from '../../src/store/open-store.ts'
import { event, SETTINGS } from '../rollup/shard-fixture.ts'

/** Explains a day (YYYYMMDD) of device `a`. */
export const explain = (
  store: Store,
  day: number,
  request: Partial<ExplainRequest> = {},
  settings = SETTINGS,
): Promise<Explanation> =>
  explainDay(
    store,
    { ...SETTINGS, ...settings },
    { deviceId: 'a', day: parseDay(day) as number, figure: null, limit: 1000, after: null, ...request },
  )

/** What the readings did, without their instants and figures. */
export const effects = ({ readings }: Explanation): Omit<Reading, 'at' | 'figures'>[] | undefined =>
  readings?.map(({ at, figures, ...effect }) => effect)

/** Power spans as `on 06:00-12:00`, by the UTC clock. */
export const spans = (explanation: Explanation): string[] | undefined =>
  explanation.spans?.map(({ state, why, from, to }) => `${why ?? state} ${from.slice(11, 16)}-${to.slice(11, 16)}`)

export const place = (at: string, timezone: string, lat = 52.5, lon = 13.4): object =>
  event(at, { type: 'placement', lat, lon, timezone })
export const fix = (at: string, lat: number, lon: number): object => event(at, { type: 'gps', lat, lon })
export const total = (at: string, visitors: number): object => event(at, { type: 'visitor', total: visitors })
export const door = (at: string, open: boolean): object => event(at, { type: 'door', open })
export const celsius = (at: string, degrees: number, setpoint?: number): object =>
  event(at, { type: 'temperature', celsius: degrees, ...(setpoint === undefined ? {} : { setpoint }) })
