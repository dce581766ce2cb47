import type { Reading } from './answers.ts'
import { clock } from './format.ts'
import { say } from './messages.ts'
import { plainNumber } from './number.ts'
import { type Column, plainTable } from './view.ts'

/** Makes the table of a day's readings. */
export function readingsTable(readings: readonly Reading[], zone: string): HTMLElement {
  const columns: Column[] = [[say('at')], [say('type')], [say('reading')], [say('effect')]]
  return plainTable(
    say('readings-caption'),
    columns,
    readings.map((reading) => cellsOf(reading, zone)),
  )
}

function cellsOf(reading: Reading, zone: string): string[] {
  const { at, seq, type, figures, repeat, counts, totalBefore, restarted, state, ...others } = reading
  const { contrary, endsSilence, deviationMeters, spike, ...values } = others
  // Names and values as sent, because users look for them in the telemetry.
  const sent = Object.entries(values).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return [clock(at, zone), type, sent.join(', '), effectsOf(reading).join('; ')]
}

function effectsOf(reading: Reading): string[] {
  const { repeat, counts, spike, deviationMeters, contrary, endsSilence, restarted, state } = reading
  return [
    repeat ? say('effect-repeat') : '',
    counts === undefined ? '' : say('effect-counts', { count: counts }),
    deviationMeters === undefined ? '' : say('effect-deviation', { meters: plainNumber(deviationMeters) }),
    spike ? say('effect-spike') : '',
    state === undefined ? '' : `${say('power')}: ${say(`power-${state}`)}`,
    contrary ? say('effect-contrary') : '',
    endsSilence ? say('effect-silence') : '',
    restarted ? say('effect-restarted') : '',
    ...extremesOf(reading),
  ].filter((text) => text !== '')
}

/** Returns the names of the extremes that this reading is. */
const extremesOf = ({ figures }: Reading): string[] =>
  figures.filter((name) => name === 'maxTemp' || name === 'minTemp').map((name) => say(`long-${name}`))
