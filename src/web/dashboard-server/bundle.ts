import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { makeAsset } from '../api/asset.ts'
import { readCoasts } from './coasts.ts'
import { BUNDLE, type Bundle, MANIFEST } from './files.ts'
import { DASHBOARD_STYLE } from './style.ts'

const require = createRequire(import.meta.url)
/** The sources, seen from the compiled module. */
const SOURCES = fileURLToPath(new URL('../../../../src/web/dashboard/', import.meta.url))

/**
 * Makes the files of the dashboard: one script for each view that is loaded by itself, one style sheet, and the coasts
 * of the map. Their names have a hash of what is in them, so that browsers keep them for good. Part of the build.
 */
export async function bundleDashboard(): Promise<void> {
  rmSync(BUNDLE, { recursive: true, force: true })
  mkdirSync(BUNDLE, { recursive: true })
  const style = write('style', 'css', [...LIBRARY_STYLES.map(readStyle), DASHBOARD_STYLE].join('\n'))
  const coasts = write('coasts', 'json', JSON.stringify(readCoasts()))
  const bundle = await rolldown({
    input: { main: `${SOURCES}main.ts` },
    platform: 'browser',
    transform: { define: { COASTS_FILE: JSON.stringify(coasts) } },
  })
  const { output } = await bundle.write({
    dir: BUNDLE,
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  const scripts = output.map(({ fileName }) => fileName)
  const main = output.find((file) => file.type === 'chunk' && file.isEntry)?.fileName ?? ''
  const manifest: Bundle = { main, style, files: [...scripts, style, coasts] }
  writeFileSync(MANIFEST, JSON.stringify(manifest))
}

const LIBRARY_STYLES = ['uplot/dist/uPlot.min.css', 'leaflet/dist/leaflet.css']

/** Returns the style sheet of a library without its pictures, which are of controls that are not used here. */
const readStyle = (path: string): string =>
  readFileSync(require.resolve(path), 'utf8').replace(/background-image:\s*url\([^)]*\);?/g, '')

function write(name: string, type: string, text: string): string {
  const hash = makeAsset(type, text).etag.replace(/\W/g, '').slice(0, 8)
  writeFileSync(`${BUNDLE}${name}-${hash}.${type}`, text)
  return `${name}-${hash}.${type}`
}
