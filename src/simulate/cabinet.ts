import type { Random } from './random.ts'
import type { Slot } from './slot.ts'

const STEPS_A_SLOT = 3
const SWITCH_BAND_CELSIUS = 1
const LEAK_A_STEP = 1 / 96
const DOOR_CELSIUS = 0.12
const NOISE_CELSIUS = 0.06
const MEAN_ROOM_CELSIUS = 24

/**
 * The air in a cooler: it warms towards the room and with every opened door, and a thermostat switches the compressor
 * on a degree above the setpoint and off a degree below. Without power it only warms. Temperatures in degrees Celsius.
 */
export class Cabinet {
  setpoint: number
  #celsius: number
  #compressing = false

  constructor(setpoint: number, random: Random) {
    this.setpoint = setpoint
    this.#celsius = setpoint + random.between(-1, 1)
  }

  /** Simulates one slot. */
  advance(slot: Slot, doorsOpened: number, powered: boolean): void {
    const room = roomCelsius(slot.hour)
    const cooling = 0.5 + (MEAN_ROOM_CELSIUS - this.setpoint) * LEAK_A_STEP
    this.#celsius += doorsOpened * DOOR_CELSIUS
    for (let step = 0; step < STEPS_A_SLOT; step++) {
      if (this.#celsius > this.setpoint + SWITCH_BAND_CELSIUS) this.#compressing = true
      else if (this.#celsius < this.setpoint - SWITCH_BAND_CELSIUS) this.#compressing = false
      this.#celsius += (room - this.#celsius) * LEAK_A_STEP
      if (powered && this.#compressing) this.#celsius -= cooling
    }
  }

  /** Returns the reading of the sensor, rounded to hundredths of a degree. */
  reading(random: Random): number {
    return Math.round((this.#celsius + random.normal() * NOISE_CELSIUS) * 100) / 100
  }
}

/** Returns the temperature of the room: 27 degrees at three in the afternoon, falling to 19.8 at three at night. */
function roomCelsius(hour: number): number {
  const away = Math.abs(hour - 15)
  return 27 - 0.6 * Math.min(away, 24 - away)
}
