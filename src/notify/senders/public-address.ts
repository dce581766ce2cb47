import { lookup as lookUp } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Webhooks may go only to globally reachable unicast addresses, by the IANA registries. Addresses must be known to be
 * public, so that a kind of address that this list does not know is refused.
 */

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::')
const NAT64 = ipaddr.IPv6.parse('64:ff9b::')

/** Tells whether an IP address is public. An IPv4 address embedded in IPv6 is judged by the IPv4 address. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false // The library also reads shorter forms.
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  const v6 = address as ipaddr.IPv6
  if (v6.isIPv4MappedAddress()) return v6.toIPv4Address().range() === 'unicast'
  if (v6.match(NAT64, 96)) return new ipaddr.IPv4(v6.toByteArray().slice(12)).range() === 'unicast'
  return v6.match(GLOBAL_UNICAST, 3) && v6.range() === 'unicast'
}

/** The connection would have gone to an address that is not public. */
export class PrivateAddressError extends Error {
  constructor() {
    super('the address is private: set COOLER_WEBHOOK_PRIVATE=1 to allow it')
  }
}

/**
 * Resolves a name as `dns.lookup` does, but only to its public addresses, so that a connection goes to a checked address.
 * A name without public addresses gives a PrivateAddressError.
 */
export const lookUpPublic: LookupFunction = (name, options, callback) => {
  lookUp(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '', 0)
    const addresses = found.filter(({ address }) => isPublicAddress(address))
    if (addresses.length === 0) return callback(new PrivateAddressError(), '', 0)
    if (options.all === true) return callback(null, addresses)
    callback(null, addresses[0].address, addresses[0].family)
  })
}
