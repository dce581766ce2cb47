import { expect, test } from 'vitest'
import { openSenders } from '../../src/notify/open-senders.ts'
import { LINKS } from './example-messages.ts'

const NOTHING = {
  smtpUrl: null,
  mailFrom: null,
  mqttUrl: null,
  mqtt: { username: null, password: null },
  allowPrivate: false,
  links: LINKS,
}

/** The types of channels that the settings allow; all are closed, without having connected. */
async function openWith(changes: object): Promise<string[]> {
  const senders = openSenders({ ...NOTHING, ...changes })
  await Promise.all(Object.values(senders).map((sender) => sender?.close()))
  return Object.entries(senders).flatMap(([type, sender]) => (sender === null ? [] : [type]))
}

test('there is a sender for each type of channel whose settings are there', async () => {
  expect(await openWith({})).toEqual(['webhook'])
  expect(await openWith({ smtpUrl: 'smtp://a' })).toEqual(['webhook'])
  const all = { smtpUrl: 'smtp://a', mailFrom: 'a@example.org', mqttUrl: 'mqtt://a' }
  expect(await openWith(all)).toEqual(['webhook', 'email', 'mqtt'])
})
