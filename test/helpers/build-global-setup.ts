import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Threads and the command line run dist/: it must be what src/ says. */
export default function build(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', root], { stdio: 'inherit' })
}
