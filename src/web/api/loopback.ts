import { BlockList, isIP } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Tells whether a host is this machine's alone. Names except localhost are not resolved: their meaning may change. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host === 'localhost' : LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** The last header accepted, kept because a client sends the same one again and again. */
let lastHeader = 'localhost'

/** Tells whether a `Host` header names loopback, on any port. */
export function namesLoopback(header: string | undefined): boolean {
  if (header === undefined) return false
  if (header === lastHeader) return true
  const url = `http://${header}`
  if (!URL.canParse(url) || !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))) return false
  lastHeader = header
  return true
}
