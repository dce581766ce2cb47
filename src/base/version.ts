import { readFileSync } from 'node:fs'
import { PROJECT } from './project-folder.ts'

/** Version of this product, from its package.json. */
export const VERSION: string = JSON.parse(readFileSync(`${PROJECT}/package.json`, 'utf8')).version

/** Name and version of this product. */
export const PRODUCT = `cooler-reports ${VERSION}`
