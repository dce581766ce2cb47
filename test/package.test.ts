import { execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { cooler } from './cli/cooler.ts'
import { eventually } from './helpers/eventually.ts'
import { readText } from './helpers/source-files.ts'
import { temporaryFolder } from './helpers/temporary-store.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const { bin, dependencies, exports, name } = JSON.parse(readText('package.json'))

let folder: string
let tarball: string
let files: readonly string[]

/** Packs what the build has written. Without the scripts: they would build it anew below the other tests. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cooler-test-'))
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
  tarball = join(folder, packed.filename)
  files = packed.files.map(({ path }) => path).sort()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Scripts that the build makes of several sources, in folders that it empties before. */
const BUNDLED = /^src\/(web\/dashboard\/|bundled\/|web\/reference\/reference\.js$)/

/** Paths of this package that a text links to or shows. */
const linked = (text: string): string[] => [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path)

describe('the package', () => {
  test('holds the program, its schemas, the licences and what the README shows, and nothing else', () => {
    const known = /^(dist\/(src|jobs)\/.*\.(js|wasm|d\.ts)|dist\/src\/web\/dashboard\/[\w-]+\.(css|json)|schema\/.+)$/
    const documents = ['LICENSE', 'README.md']
    const shown = documents.flatMap((path) => linked(readText(path)))
    expect(shown).toContain('src/web/dashboard/dashboard.webp')
    expect(files).toEqual(expect.arrayContaining([...documents, ...shown]))
    const others = files.filter((path) => !known.test(path) && !documents.includes(path) && !shown.includes(path))
    expect(others).toEqual(['package.json'])
  })

  test('holds no script whose source is gone, no test, and no source map or comment that names one', () => {
    const scripts = files.filter((path) => path.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(500)
    const sources = scripts.map((path) => path.slice('dist/'.length)).filter((path) => !BUNDLED.test(path))
    expect(sources.filter((path) => !existsSync(join(root, path.replace(/js$/, 'ts'))))).toEqual([])
    expect(scripts.filter((path) => /^\/\/# sourceMappingURL=/m.test(readText(path)))).toEqual([])
  })

  test('holds the types of all that it exports, and needs none but those of its dependencies', () => {
    const seen = new Set<string>()
    const packages = new Set<string>()
    const follow = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      for (const [, to] of readText(path).matchAll(/\b(?:from|import)\b[ (]*'([^']+)'/g)) {
        if (to.startsWith('.')) follow(join(dirname(path), to.replace(/\.[jt]s$/, '.d.ts')))
        else if (!to.startsWith('node:')) packages.add(to)
      }
    }
    for (const { types } of Object.values<{ types: string }>(exports)) follow(join(types))
    expect(seen.size).toBeGreaterThan(3)
    expect([...seen].filter((path) => !files.includes(path))).toEqual([])
    expect([...packages].filter((one) => !Object.hasOwn(dependencies, one))).toEqual([])
  })

  test('has its commands under its own name too, so that npx finds them', () => {
    expect(bin).toEqual({ cooler: bin.cooler, [name]: bin.cooler })
    expect(readFileSync(join(root, bin.cooler), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

/** Installs the tarball in an empty project as npm would, with no package but those that it depends on. */
async function installed(): Promise<string> {
  const project = temporaryFolder()
  const modules = join(project, 'node_modules')
  const target = join(modules, name)
  mkdirSync(target, { recursive: true })
  mkdirSync(join(modules, '.bin'))
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  for (const dependency of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true })
    symlinkSync(join(root, 'node_modules', dependency), join(modules, dependency))
  }
  for (const [command, path] of Object.entries<string>(bin)) {
    chmodSync(join(target, path), 0o755)
    symlinkSync(join(target, path), join(modules, '.bin', command))
  }
  return project
}

/** Starts a command as a group of its own, which is ended with the test, and returns what it has printed so far. */
function startGroup(command: string, args: readonly string[], options: SpawnOptions): () => string {
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    process.kill(-(child.pid as number), 'SIGINT')
    await ended
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  return () => printed
}

describe('installed without the packages of development', () => {
  test('npx runs its demo, which answers with its dashboard and its documentation', async () => {
    const cwd = await installed()
    const env = { ...process.env, TMPDIR: temporaryFolder(), PORT: '0' }
    const printed = startGroup('npx', ['--no-install', name, 'demo', '--devices', '3', '--days', '2'], { cwd, env })
    await eventually(printed).toMatch(/curl -s http:\/\/127\.0\.0\.1:\d+/)
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed()) as RegExpExecArray
    const { devices } = (await (await fetch(`${origin}/v1/devices`)).json()) as { devices: unknown[] }
    expect(devices).toHaveLength(3)
    for (const path of ['/', '/docs', '/docs/reference.js', '/openapi.json'])
      expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 200])
  })

  test('all its commands can be loaded', async () => {
    const project = await installed()
    const program = join(project, 'node_modules', name, bin.cooler)
    // Completion describes all commands, so it loads the files of all.
    expect(await cooler({}, program).run(['completion', 'bash'])).toMatchObject({ code: 0, stderr: '' })
  })
})
