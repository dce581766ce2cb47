import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSource } from 'oazapfts'
import { expect, test } from 'vitest'
import { temporaryService } from '../../helpers/temporary-service.ts'
import { makeKeys } from '../keyed-app.ts'
import { compiled, root, run } from './compiled.ts'

const PROGRAM = new URL('client-program.ts', import.meta.url)

test('a TypeScript client made of the document fits a program, and the program a live server', async () => {
  const client = await generateSource(join(root, 'schema', 'openapi.json'), { argumentStyle: 'object' })
  const folder = await compiled({ 'client.ts': client, 'program.ts': readFileSync(PROGRAM, 'utf8') }, ['dom'])

  const { keys, settings } = makeKeys({ admin: { scopes: ['admin'] } })
  const service = await temporaryService({ api: true, work: false }, settings)
  const { stdout } = await run(process.execPath, [join(folder, 'program.js'), `${service.url}`, keys.admin])
  expect(JSON.parse(stdout)).toEqual({
    accepted: 3,
    reason: 'at-in-seconds',
    placed: 1,
    rolledUp: 200,
    warmest: 3.4,
    flag: 0,
    location: '1.5,2',
    readings: 1,
    devices: ['a/1'],
    queue: null,
    code: 'bad-request',
  })
})
