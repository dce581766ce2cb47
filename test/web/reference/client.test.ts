import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateSource } from 'oazapfts'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryService } from '../../helpers/temporary-service.ts'
import { makeKeys } from '../keyed-app.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A folder within node_modules: what is compiled and run there finds the packages of this project. */
function buildFolder(): string {
  const parent = join(root, 'node_modules', '.cache')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const OPTIONS = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
}

test('a TypeScript client made of the document fits a program, and the program a live server', async () => {
  const folder = buildFolder()
  const client = await generateSource(join(root, 'schema', 'openapi.json'), { argumentStyle: 'object' })
  writeFileSync(join(folder, 'client.ts'), client)
  copyFileSync(here('client-program.ts'), join(folder, 'program.ts'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const compiled = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)
  expect(compiled.stdout).toBe('')

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
