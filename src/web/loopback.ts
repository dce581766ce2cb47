import { BlockList, isIP } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether an address or name is this machine's alone. Other names are not looked up: what they mean may change. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host === 'localhost' : LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a `Host` header names loopback; the port is no matter. */
export function namesLoopback(header: string | undefined): boolean {
  const url = `http://${header}`
  return header !== undefined && URL.canParse(url) && isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))
}
