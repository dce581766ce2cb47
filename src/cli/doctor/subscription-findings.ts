import { type Finding, fault, ok } from '../../base/finding.ts'
import { isPostgres } from '../../base/store-location.ts'
import type { Config } from '../../config/config.ts'
import type { ChannelType } from '../../notify/channel.ts'
import { readSubscription } from '../../notify/stored.ts'
import type { Subscription } from '../../notify/subscription.ts'
import type { NoticeReads, StoredSubscription } from '../../store/notices.ts'

const CHECK = 'subscriptions'

/** What each type of channel needs, and whether the settings have it. */
const NEEDS: Readonly<Record<ChannelType, { has: (config: Config) => boolean; settings: string }>> = {
  webhook: { has: () => true, settings: '' },
  email: {
    has: ({ notify }) => notify.smtpUrl !== null && notify.mailFrom !== null,
    settings: 'COOLER_SMTP_URL and COOLER_MAIL_FROM',
  },
  mqtt: { has: ({ notify }) => notify.mqttUrl !== null, settings: 'COOLER_NOTIFY_MQTT_URL' },
  folder: { has: ({ delivery }) => delivery.folder !== null, settings: 'COOLER_DELIVERY_FOLDER' },
  s3: { has: ({ delivery }) => delivery.s3 !== null, settings: 'COOLER_S3_ENDPOINT' },
}

/** Checks the subscriptions of a store: what they are, whether the settings serve them, and what was not delivered. */
export async function subscriptionFindings(config: Config, notices: NoticeReads): Promise<Finding[]> {
  const stored = await notices.subscriptions()
  const { failed } = await notices.messageCounts()
  const findings = stored.flatMap((one) => findingOf(config, one))
  if (failed > 0)
    findings.push(
      fault(
        CHECK,
        'warning',
        `messages that were given up: ${failed}`,
        'see why, and retry them, in the dashboard: Messages',
      ),
    )
  return findings.length > 0 ? findings : [ok(CHECK, `${stored.length} are in the store, and all can be served`)]
}

function findingOf(config: Config, stored: StoredSubscription): Finding[] {
  const { id, endedWhy } = stored
  const warn = (message: string, advice: string) => [fault(CHECK, 'warning', `${id} ${message}`, advice)]
  if (endedWhy !== null) return warn(`has ended: ${endedWhy}`, 'put it again to take it into use, or remove it')
  let subscription: Subscription
  try {
    subscription = readSubscription(stored)
  } catch (error) {
    return [fault(CHECK, 'failure', (error as Error).message, 'put it again, or remove it')]
  }
  const { has, settings } = NEEDS[subscription.channel.type]
  if (subscription.enabled === false) return []
  if (subscription.kind === 'backup' && isPostgres(config.store))
    return warn('copies a store that is a file, and this one is in PostgreSQL', 'remove it: see point-in-time recovery')
  if (has(config)) return []
  return warn(
    `goes to ${subscription.channel.type}, which is not set up here`,
    `set ${settings} where the service runs`,
  )
}
