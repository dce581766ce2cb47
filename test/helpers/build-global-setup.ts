import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Threads and the command line run dist/: it must be what src/ says. So does a browser. */
export default function build(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', root], { stdio: 'inherit' })
  execFileSync('npm', ['run', '-s', 'bundle'], { cwd: root, stdio: 'inherit' })
}
