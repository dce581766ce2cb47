import type { MqttClient } from 'mqtt'
import type { Logger } from 'pino'

export const RECONNECT_MS = 1000
const LONGEST_RECONNECT_MS = 5 * 60_000
/** After this long without a takeover, the pause is short again. */
const STEADY_MS = 2 * LONGEST_RECONNECT_MS
/** Connections that end sooner are short. So many in a row are suspect, though a broker may be restarting. */
const SHORT_MS = 60_000
const MOST_SHORT = 3
const LONGEST_SUSPECT_MS = 15_000

const SESSION_TAKEN_OVER = 0x8e

/**
 * Logs what happens to a client's connections. If another client takes over the session, the pause before the next
 * connection doubles: otherwise two bridges with one client id would disconnect each other for ever.
 */
export function watchConnection(client: MqttClient, clientId: string, logger: Logger): void {
  let steady: NodeJS.Timeout | undefined
  let connectedAt = -Infinity
  let shortOnes = 0
  const backOff = (fault: string, longestMs: number): void => {
    const before = client.options.reconnectPeriod ?? RECONNECT_MS
    const pauseMs = Math.max(before, Math.min(before * 2, longestMs))
    client.options.reconnectPeriod = pauseMs
    logger.error({ clientId, pauseMs }, `${fault}: give each bridge a --client-id of its own`)
  }
  client.on('connect', () => {
    connectedAt = performance.now()
    steady = setTimeout(() => {
      client.options.reconnectPeriod = RECONNECT_MS
    }, STEADY_MS).unref()
  })
  client.on('close', () => {
    clearTimeout(steady)
    if (connectedAt === -Infinity) return // There was no connection.
    shortOnes = performance.now() - connectedAt < SHORT_MS ? shortOnes + 1 : 0
    connectedAt = -Infinity
    // Not every broker reports a takeover.
    if (shortOnes >= MOST_SHORT)
      backOff('the connection never lasts: perhaps another client has this client id', LONGEST_SUSPECT_MS)
  })
  client.on('error', (error) => logger.warn({ err: error }, 'the broker cannot be reached: trying again'))
  client.on('reconnect', () => logger.info('connecting to the broker again'))
  client.on('disconnect', ({ reasonCode }) => {
    if (reasonCode === SESSION_TAKEN_OVER) backOff('another client has taken over this session', LONGEST_RECONNECT_MS)
    else logger.warn({ reasonCode }, 'the broker has ended the connection')
  })
}
