import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { MESSAGE_EXAMPLE } from '../../../src/web/api/schema/message.ts'
import { temporaryService } from '../../helpers/temporary-service.ts'
import { dashboardFile } from '../dashboard-files.ts'
import { makeKeys } from '../keyed-app.ts'
import { composeMessage, fail } from '../stored-messages.ts'
import { compiled } from './compiled.ts'
import { operations } from './documented.ts'

/** These come first, so that there is a device, and a subscription, of which the others ask. */
const FIRST = ['sendTelemetry', 'putDevice', 'putSubscription']
/** These come last: they remove what others ask of. */
const LAST = ['removeSubscription']

test('the TypeScript sample of every operation compiles, without a package, and its call succeeds', async () => {
  const { keys, settings } = makeKeys({ admin: { scopes: ['admin'] } })
  const service = await temporaryService({ api: true, work: false }, settings)
  await composeMessage(service, { type: 'test' }, { id: MESSAGE_EXAMPLE })
  await fail(service, MESSAGE_EXAMPLE)
  const samples = operations().map(
    ({
      operation: {
        operationId,
        security,
        'x-codeSamples': [sample],
      },
    }) => {
      expect(sample).toMatchObject({ lang: 'typescript', label: 'TypeScript' })
      expect(/^const key = ''/m.test(sample.source), operationId).toBe(security.length > 0)
      const source = sample.source
        .replace('http://127.0.0.1:8080', `${service.url}`)
        .replace(/\/dashboard\/main-[\w-]+\.js/, `/dashboard/${dashboardFile('.js')}`) // Its name changes with its content.
        .replace(/^const key = ''/m, `const key = '${keys.admin}'`)
        .replace(/^console\.log\((.*)\)$/m, 'export default $1')
      return [operationId, source] as const
    },
  )
  const folder = await compiled(Object.fromEntries(samples.map(([id, source]) => [`${id}.ts`, source])))
  const ids = samples.map(([id]) => id)
  const others = ids.filter((id) => ![...FIRST, ...LAST].includes(id))
  for (const id of [...FIRST, ...others, ...LAST]) {
    const answer = import(pathToFileURL(join(folder, `${id}.js`)).href).then((module) => module.default)
    await expect(answer, id).resolves.toBeTruthy()
  }
})
