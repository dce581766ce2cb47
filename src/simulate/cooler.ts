import { Cabinet } from './cabinet.ts'
import type { City } from './city.ts'
import { drawFate, type Fate } from './fate.ts'
import { Mains } from './mains.ts'
import { drawModel, drawSetpoint, type Model } from './model.ts'
import { drawAway, drawHome, measure, type Position } from './position.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import { Shop } from './shop.ts'
import { SLOT_MS, type Slot } from './slot.ts'
import { stampClock } from './stamp-clock.ts'
import { VisitorCounter } from './visitor-counter.ts'

const OPENINGS_A_VISITOR = 0.44
const LONGEST_OPENING_MS = 22_000
const SHORTEST_OPENING_MS = 2000
const SENSOR_DELAY_MS = 20_000
const SETPOINT_CHANGES_A_SLOT = 1 / 6000
const FIX_SLOTS = 4

/** Where and when a cooler is simulated. */
export interface Post {
  index: number
  deviceId: string
  city: City
  /** Epoch ms, half-open. */
  span: { start: number; end: number }
  firstSlot: number
}

/** One cooler, simulated slot by slot with a report for each slot. Takes about half a kilobyte of state. */
export class Cooler {
  readonly #deviceId: string
  readonly #zone: string
  readonly #address: string
  readonly #firstSlot: number
  readonly #random: Random
  readonly #model: Model
  readonly #shop: Shop
  readonly #mains: Mains
  readonly #cabinet: Cabinet
  readonly #counter: VisitorCounter
  readonly #home: Position
  readonly #fate: Fate
  readonly #phaseMs: number
  #away: Position | null = null
  #seq = 0

  constructor({ index, deviceId, city, span, firstSlot }: Post, random: Random) {
    const street = city.streets[random.below(city.streets.length)]
    this.#deviceId = deviceId
    this.#zone = city.zone
    this.#address = `${1 + random.below(180)} ${street}, ${city.name}`
    this.#firstSlot = firstSlot
    this.#random = random
    this.#model = drawModel(random)
    this.#shop = new Shop(random)
    this.#mains = new Mains(firstSlot, random)
    this.#cabinet = new Cabinet(drawSetpoint(this.#model, random), random)
    this.#home = drawHome(city, random)
    this.#fate = drawFate(index, span, random)
    this.#phaseMs = random.below(SLOT_MS - SENSOR_DELAY_MS)
    this.#counter = new VisitorCounter(random)
  }

  /** Simulates one slot and fills the report; a silent cooler leaves it empty. */
  live(slot: Slot, report: Report): void {
    const { start, number } = slot
    const open = this.#shop.isOpen(slot)
    const visitors = open ? this.#shop.visitors(slot, this.#random) : 0
    const openings = open ? this.#random.around(visitors * OPENINGS_A_VISITOR) : Number(this.#random.chance(0.02))
    if (number === this.#firstSlot) this.#place(start, report)
    this.#power(slot, open, report)
    this.#temperature(slot, openings, report)
    if (openings > 0) this.#doors(start, openings, report)
    if (open) this.#visitors(start, visitors, report)
    if ((number + this.#phaseMs) % FIX_SLOTS === 0) this.#fix(start, report)
    if (start >= this.#fate.silentFrom && start < this.#fate.silentUntil) report.clear()
    else this.#finish(slot, report)
  }

  #place(start: number, report: Report): void {
    report.add(start, {
      deviceId: this.#deviceId,
      type: 'placement',
      at: start,
      lat: this.#home.latitude,
      lon: this.#home.longitude,
      timezone: this.#zone,
      address: this.#address,
    })
  }

  #power(slot: Slot, open: boolean, report: Report): void {
    for (const { at, on } of this.#mains.advance(slot, open, this.#random)) {
      report.add(at, { deviceId: this.#deviceId, type: 'power', at, on })
    }
  }

  #temperature(slot: Slot, openings: number, report: Report): void {
    const cabinet = this.#cabinet
    if (this.#random.chance(SETPOINT_CHANGES_A_SLOT)) cabinet.setpoint = drawSetpoint(this.#model, this.#random)
    cabinet.advance(slot, openings, this.#mains.on)
    const at = slot.start + this.#phaseMs + this.#random.below(SENSOR_DELAY_MS)
    const deviceId = this.#deviceId
    const celsius = cabinet.reading(this.#random)
    if (slot.number % this.#model.setpointEvery !== 0) report.add(at, { deviceId, type: 'temperature', at, celsius })
    else report.add(at, { deviceId, type: 'temperature', at, celsius, setpoint: cabinet.setpoint })
  }

  /** Spreads the openings over the slot, so that a door closes before it opens again. */
  #doors(start: number, openings: number, report: Report): void {
    const deviceId = this.#deviceId
    if (this.#model.doors === 'counts') {
      const at = start + SLOT_MS - 1 - this.#random.below(SENSOR_DELAY_MS)
      report.add(at, { deviceId, type: 'door', at, count: 2 * openings })
      return
    }
    const spacing = Math.floor(SLOT_MS / openings)
    for (let opening = 0; opening < openings; opening++) {
      const opens = start + opening * spacing + this.#random.below(spacing - LONGEST_OPENING_MS)
      const closes = opens + SHORTEST_OPENING_MS + this.#random.below(LONGEST_OPENING_MS - SHORTEST_OPENING_MS)
      report.add(opens, { deviceId, type: 'door', at: opens, open: true })
      report.add(closes, { deviceId, type: 'door', at: closes, open: false })
    }
  }

  #visitors(start: number, visitors: number, report: Report): void {
    const at = start + SLOT_MS - 1 - this.#random.below(SENSOR_DELAY_MS)
    const deviceId = this.#deviceId
    if (this.#model.visitors === 'counts') report.add(at, { deviceId, type: 'visitor', at, count: visitors })
    else report.add(at, { deviceId, type: 'visitor', at, total: this.#counter.count(visitors, this.#random) })
  }

  #fix(start: number, report: Report): void {
    if (start >= this.#fate.carriedOffAt) this.#away ??= drawAway(this.#home, this.#random)
    const at = start + this.#random.below(SLOT_MS)
    const { latitude: lat, longitude: lon } = measure(this.#away ?? this.#home, this.#random)
    const accuracy = 3 + this.#random.below(20)
    const deviceId = this.#deviceId
    if (!this.#model.addressed || this.#away) report.add(at, { deviceId, type: 'gps', at, lat, lon, accuracy })
    else report.add(at, { deviceId, type: 'gps', at, lat, lon, accuracy, address: this.#address })
  }

  #finish(slot: Slot, report: Report): void {
    const { numbered, clock } = this.#model
    if (!numbered && clock === 'milliseconds') return
    for (const event of report.events) {
      if (numbered) event.seq = this.#seq++
      if (clock !== 'milliseconds') stampClock(event, clock === 'local' ? slot.offset : null)
    }
  }
}
