import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { appFixture } from '../app-fixture.ts'
import { DOCUMENT, operations } from './documented.ts'

const page = async () => {
  const { get } = await appFixture()
  const answer = await get('/docs')
  expect(answer.statusCode).toBe(200)
  return answer
}

test('the page is HTML that asks for nothing from elsewhere and runs nothing', async () => {
  const { headers, body } = await page()
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(body).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(body).not.toMatch(/<(script|link|img|iframe|form|object)\b|\bstyle=|\bon\w+=|https?:\/\/|@import|url\(/)
})

test('its one style sheet is the one that its policy allows', async () => {
  const { headers, body } = await page()
  const sheets = [...body.matchAll(/<style>(.*?)<\/style>/gs)].map(([, sheet]) => sheet)
  expect(sheets).toHaveLength(1)
  const hash = createHash('sha256').update(sheets[0]).digest('base64')
  expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}';`)
})

test('every call of the document is told, and every link leads to an anchor that is there once', async () => {
  const { body } = await page()
  const anchors = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(anchors).size).toBe(anchors.length)
  for (const { operation } of operations()) expect(anchors).toContain(operation.operationId)
  const links = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
  expect(links.length).toBeGreaterThan(operations().length)
  expect(links.filter((id) => !anchors.includes(id))).toEqual([])
})

test('what the interface leaves open is told, and every field and error code', async () => {
  const { body } = await page()
  expect(body).toContain('>What the interface leaves open, and what we do</h2>')
  const names = Object.values(DOCUMENT.components.schemas).flatMap(({ properties = {} }) => Object.keys(properties))
  for (const name of [...names, ...Object.keys(DOCUMENT.components.examples)]) {
    expect(body).toContain(`<code>${name}</code>`)
  }
})

test('its elements are closed in the order in which they are opened', async () => {
  const { body } = await page()
  const open: string[] = []
  for (const [, end, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (end !== '') expect(name).toBe(open.pop())
    else if (name !== 'meta') open.push(name)
  }
  expect(open).toEqual([])
})
