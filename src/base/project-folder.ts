import { fileURLToPath } from 'node:url'

const here = fileURLToPath(import.meta.url)

/**
 * Path of the project's root, which holds package.json, schema/, src/ and dist/. The build puts this module into files
 * of other folders, so it looks for the last `dist/src/`, or for `src/` if it runs from source.
 */
export const PROJECT = here.slice(0, here.lastIndexOf(here.endsWith('.ts') ? '/src/' : '/dist/src/'))

/** Path of the built program, also if this module itself was loaded from source. */
export const BUILT = `${PROJECT}/dist/src`
