import { readFileSync } from 'node:fs'

/** The program runs from dist/src, its tests from src. */
const file = new URL(import.meta.url.includes('/dist/') ? '../../package.json' : '../package.json', import.meta.url)

/** The version of this product, as its package.json has it. */
export const VERSION: string = JSON.parse(readFileSync(file, 'utf8')).version
