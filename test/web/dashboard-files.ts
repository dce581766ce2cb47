import { readFileSync } from 'node:fs'
import { type Bundle, MANIFEST } from '../../src/web/dashboard-server/files.ts'

/** The built file of the dashboard with this ending; the first of several. */
export function dashboardFile(ending: string): string {
  const { files } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Bundle
  return files.find((name) => name.endsWith(ending)) as string
}
