import type { Links, Senders } from './sender.ts'
import { EmailSender } from './senders/email.ts'
import { MqttSender } from './senders/mqtt.ts'
import { WebhookSender } from './senders/webhook.ts'

/** By which servers messages go out. */
export interface SenderSettings {
  smtpUrl: string | null
  mailFrom: string | null
  mqttUrl: string | null
  mqtt: { username: string | null; password: string | null }
  /** Whether webhooks may go to private addresses. */
  allowPrivate: boolean
  links: Links | null
  /** Certificates of authorities that are trusted instead of the usual ones, PEM. */
  ca?: string | undefined
}

/** Returns the senders that the settings allow. They connect, and load their libraries, when they first send. */
export function openSenders({ smtpUrl, mailFrom, mqttUrl, mqtt, allowPrivate, links, ca }: SenderSettings): Senders {
  return {
    webhook: new WebhookSender({ links, allowPrivate, ca }),
    email: smtpUrl === null || mailFrom === null ? null : new EmailSender({ smtpUrl, from: mailFrom, links, ca }),
    mqtt: mqttUrl === null ? null : new MqttSender({ url: mqttUrl, login: mqtt, links, ca }),
    folder: null,
    s3: null,
  }
}
