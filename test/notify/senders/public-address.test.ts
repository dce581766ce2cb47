import { expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/notify/senders/public-address.ts'

const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.255.255', '2606:4700::1111', '2a00:1450::1']

const PRIVATE = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1'],
  ...['203.0.113.9', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
  ...['::', '::1', '::7f00:1', 'fe80::1', 'febf::1', 'fec0::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '100::1'],
  ...['2001:db8::1', '3fff::1', '2001::1', '2001:2::1', '2001:10::1', '2002:7f00:1::', '2002:0808:0808::1', '5f00::1'],
]

test('addresses of the internet are public, and no others', () => {
  expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([])
  expect(PRIVATE.filter(isPublicAddress)).toEqual([])
  for (const text of ['', 'localhost', '1.1.1', '1.1.1.1 ', '01.1.1.1.1']) expect(isPublicAddress(text)).toBe(false)
})

test('IPv4 addresses in the forms of IPv6 are as public as what they stand for', () => {
  const forms = [(v4: string) => `::ffff:${v4}`, (v4: string) => `64:ff9b::${v4}`]
  for (const form of forms) {
    expect(isPublicAddress(form('8.8.8.8'))).toBe(true)
    for (const v4 of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.1.1'])
      expect(isPublicAddress(form(v4))).toBe(false)
  }
  expect(isPublicAddress('64:ff9b:1::8.8.8.8')).toBe(false) // Of a local network.
  expect(isPublicAddress('::ffff:0:8.8.8.8')).toBe(false)
})
