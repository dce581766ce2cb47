import { millisecondsInHour } from '../base/time.ts'
import { zoneName, zoneOf } from '../base/zone.ts'

/** A city where coolers stand. Latitude and longitude in degrees; `streets` in local spelling. */
export interface City {
  name: string
  zone: string
  latitude: number
  longitude: number
  streets: readonly string[]
}

const city = (name: string, zone: string, latitude: number, longitude: number, ...streets: string[]): City => ({
  name,
  zone,
  latitude,
  longitude,
  streets,
})

/** Default cities. Offsets: whole, half and quarter hours. Clock changes: none, usual, at midnight, by half an hour. */
export const CITIES: readonly City[] = [
  city('Kolkata', 'Asia/Kolkata', 22.5726, 88.3639, 'Park Street', 'Rash Behari Avenue', 'College Street'),
  city('New York', 'America/New_York', 40.7128, -74.006, 'Atlantic Avenue', 'Broadway', 'Grand Concourse'),
  city('Berlin', 'Europe/Berlin', 52.52, 13.405, 'Karl-Marx-Straße', 'Schönhauser Allee', 'Turmstraße'),
  city('Kathmandu', 'Asia/Kathmandu', 27.7172, 85.324, 'New Road', 'Durbar Marg', 'Lazimpat'),
  city('上海', 'Asia/Shanghai', 31.2304, 121.4737, '南京东路', '淮海中路', '四川北路'),
  city('Lagos', 'Africa/Lagos', 6.5244, 3.3792, 'Allen Avenue', 'Herbert Macaulay Way', 'Adeola Odeku Street'),
  city('London', 'Europe/London', 51.5072, -0.1276, 'Holloway Road', 'Kingsland Road', 'Brixton Road'),
  city('São Paulo', 'America/Sao_Paulo', -23.5505, -46.6333, 'Rua Augusta', 'Avenida Paulista', 'Rua da Consolação'),
  city('Lord Howe Island', 'Australia/Lord_Howe', -31.5553, 159.0821, 'Lagoon Road', 'Ned’s Beach Road'),
  city('القاهرة', 'Africa/Cairo', 30.0444, 31.2357, 'شارع التحرير', 'شارع الهرم', 'شارع فيصل'),
  city('Los Angeles', 'America/Los_Angeles', 34.0522, -118.2437, 'Sunset Boulevard', 'Figueroa Street'),
  city('Adelaide', 'Australia/Adelaide', -34.9285, 138.6007, 'Rundle Street', 'Hutt Street', 'Goodwood Road'),
  city('Santiago', 'America/Santiago', -33.4489, -70.6693, 'Avenida Providencia', 'Calle Estado', 'Gran Avenida'),
  city("St. John's", 'America/St_Johns', 47.5615, -52.7126, 'Water Street', 'Duckworth Street'),
  city('Bengaluru', 'Asia/Kolkata', 12.9716, 77.5946, 'Brigade Road', 'Avenue Road', 'Sampige Road'),
  city('Waitangi', 'Pacific/Chatham', -43.9539, -176.5597, 'Waitangi Wharf Road', 'Owenga Road'),
  city('東京', 'Asia/Tokyo', 35.6762, 139.6503, '明治通り', '青山通り', '靖国通り'),
]

/**
 * Returns the cities of these zones, in the order of `zones`; all of `CITIES` if no zone is named. A zone without a
 * city gets an invented city, named after the zone and placed on the meridian of its clock.
 *
 * @throws RangeError if a name is not an IANA zone
 */
export function citiesOf(zones: readonly string[] = []): readonly City[] {
  if (zones.length === 0) return CITIES
  return zones.flatMap((text) => {
    const zone = zoneName(text)
    if (zone === null) throw new RangeError(`zones: ${JSON.stringify(text)} is not an IANA time zone name`)
    const found = CITIES.filter((candidate) => candidate.zone === zone)
    return found.length > 0 ? found : [inventedCity(zone)]
  })
}

function inventedCity(zone: string): City {
  const hoursEast = zoneOf(zone).offsetAt(Date.UTC(2026, 0, 1)) / millisecondsInHour
  const longitude = Math.max(-175, Math.min(175, hoursEast * 15))
  return city(zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' '), zone, 20, longitude, 'Main Street')
}
