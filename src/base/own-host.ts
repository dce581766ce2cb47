import { isIP } from 'node:net'

/** Returns whether the host of a URL is this machine by its name or address, without resolving anything. */
export function isOwnHost(hostname: string): boolean {
  const host = hostname.toLowerCase()
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
}
