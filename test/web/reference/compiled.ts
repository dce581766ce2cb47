import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'

export const run = promisify(execFile)
export const root = fileURLToPath(new URL('../../..', import.meta.url))

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
    module: 'nodenext',
    types: ['node'],
    strict: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
}

/** Compiles files of TypeScript, by name, without a complaint, and returns their folder, which goes with the test. */
export async function compiled(files: Readonly<Record<string, string>>, lib: readonly string[] = []): Promise<string> {
  const folder = buildFolder()
  const options = { ...OPTIONS, compilerOptions: { ...OPTIONS.compilerOptions, lib: ['es2023', ...lib] } }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)
  expect(stdout).toBe('')
  return folder
}
