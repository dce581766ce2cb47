import { BlockList, isIP } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether an address or name is this machine's alone. Other names are not looked up: what they mean may change. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host === 'localhost' : LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** The last header that did: a client sends the same one again and again. */
let lastHeader = 'localhost'

/** Whether a `Host` header names loopback; the port is no matter. */
export function namesLoopback(header: string | undefined): boolean {
  if (header === undefined) return false
  if (header === lastHeader) return true
  const url = `http://${header}`
  if (!URL.canParse(url) || !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))) return false
  lastHeader = header
  return true
}
