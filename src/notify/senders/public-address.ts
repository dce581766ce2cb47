import { lookup as lookUp } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Which addresses webhooks may go to: unicast ones of the whole internet, by the registries of the IANA. Allowed is what
 * is known to be public; so a kind of address that nobody has thought of is refused.
 */

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::')
const NAT64 = ipaddr.IPv6.parse('64:ff9b::')

/** Returns whether an IP address is public. Forms of IPv4 addresses in IPv6 are as public as what they stand for. */
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
 * Resolves a name as `dns.lookup` does, to its public addresses alone: a connection with it goes to what was checked.
 * A name that has none gives a PrivateAddressError.
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
