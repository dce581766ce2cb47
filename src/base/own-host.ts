/** An IPv4 address of this machine. Not by node:net, because the dashboard has the types of what imports this. */
const OWN_ADDRESS = /^127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

/** Returns whether the host of a URL is this machine by its name or address, without resolving anything. */
export function isOwnHost(hostname: string): boolean {
  const host = hostname.toLowerCase()
  return host === 'localhost' || host === '[::1]' || OWN_ADDRESS.test(host)
}
