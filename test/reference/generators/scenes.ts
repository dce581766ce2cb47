/** Zones between which devices move, null being a placement that names none, and an instant worth being near. */
export interface Scene {
  zones: (string | null)[]
  changeAt: number
}

const scene = (changeAt: string, ...zones: (string | null)[]): Scene => ({ zones, changeAt: Date.parse(changeAt) })

/** Changes of clocks of every kind, and zones on both sides of the date line. */
export const SCENES: Scene[] = [
  scene('2024-03-31T01:00:00Z', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland', null),
  scene('2024-10-27T01:00:00Z', 'Europe/Berlin', 'Europe/London', 'Asia/Kathmandu', null),
  // Midnight is skipped.
  scene('2014-10-19T03:00:00Z', 'America/Sao_Paulo', 'Europe/Berlin', 'Pacific/Auckland', null),
  // A date is skipped.
  scene('2011-12-30T10:00:00Z', 'Pacific/Apia', 'Pacific/Pago_Pago', 'Australia/Sydney', null),
  // Back by half an hour.
  scene('2024-04-06T15:00:00Z', 'Australia/Lord_Howe', 'Australia/Sydney', 'America/Los_Angeles', null),
  // Back over midnight.
  scene('2010-11-07T02:31:00Z', 'America/St_Johns', 'Pacific/Auckland', 'Pacific/Pago_Pago', null),
  scene('2024-06-10T18:15:00Z', 'Asia/Kathmandu', 'Asia/Kolkata', 'America/St_Johns', null),
  scene('2023-03-19T02:00:00Z', 'Africa/Casablanca', 'Antarctica/Troll', 'Pacific/Kiritimati', null),
  scene('2024-03-31T01:00:00Z', 'Antarctica/Troll', 'Africa/Casablanca', 'Etc/GMT+12', null),
  scene('2022-01-05T10:00:00Z', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Etc/GMT+12', null),
]
