import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OutputOptions, rolldown } from 'rolldown'
import { BUILT } from './project-folder.ts'

/** In a folder of their own, one level down like the modules that name the files of threads. */
const CHUNKS = 'bundled'

/** Modules that at least so many thread files need are one file. */
const SHARED_BY = 4

/**
 * Replaces the program's entry and the files of its threads in dist/ by bundles of a few files each. Node.js takes half
 * as long to load a few large files as a few hundred small ones, and every command and every thread loads its own. Part
 * of the build; packages stay apart.
 */
export async function bundleProgram(): Promise<void> {
  const threads = readdirSync(BUILT, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('-thread.js'),
  )
  const groups = [{ name: 'thread', minShareCount: SHARED_BY }]
  const bundles = [await bundle(threads, { codeSplitting: { groups } }), await bundle(['cli.js'], {})]
  // Written after everything has been read, because the files may already be bundles.
  rmSync(join(BUILT, CHUNKS), { recursive: true, force: true })
  mkdirSync(join(BUILT, CHUNKS))
  for (const { fileName, code } of bundles.flat()) writeFileSync(join(BUILT, fileName), code)
}

async function bundle(paths: readonly string[], options: OutputOptions): Promise<{ fileName: string; code: string }[]> {
  const build = await rolldown({
    input: Object.fromEntries(paths.map((path) => [path.replace(/\.js$/, ''), join(BUILT, path)])),
    platform: 'node',
    external: /^[^./]/,
  })
  const names = { entryFileNames: '[name].js', chunkFileNames: `${CHUNKS}/[name]-[hash].js` }
  const { output } = await build.generate({ format: 'esm', ...names, ...options })
  await build.close()
  return output.filter((file) => file.type === 'chunk')
}
