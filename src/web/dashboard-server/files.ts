import { BUILT } from '../../base/project-folder.ts'

/** The folder of the built files of the dashboard. */
export const BUNDLE = `${BUILT}/web/dashboard/`
/** The file that lists them. */
export const MANIFEST = `${BUNDLE}files.json`

/** The files of the dashboard by name. */
export interface Bundle {
  /** The script that the page loads. */
  main: string
  style: string
  files: readonly string[]
}
