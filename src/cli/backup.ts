import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { CoolerError } from '../base/errors.ts'
import { requireFileStore } from '../base/store-location.ts'
import { backupStore, type CheckDepth, type CopyResult, filesOfStore, restoreStore } from '../store/open-store.ts'
import { commandContext, UsageError } from './context.ts'
import { createProgress } from './output/progress.ts'

interface Options {
  force?: boolean
  check: CheckDepth
  json?: boolean
}

/** Adds the commands `backup` and `restore`. */
export function backupCommands(program: Command): void {
  program
    .command('backup')
    .description('copy the store into one file, while services write it; the copy is checked before it gets its name')
    .argument('<file>', 'the backup to be written')
    .option('--force', 'replace a file that is there')
    .addOption(checkOption())
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', '\nExample:\n  cooler backup /backups/cooler-$(date +%F).sqlite\n')
    .action(async (file: string, options: Options) => {
      const { store } = commandContext().config
      requireFileStore(store)
      requireFile(store)
      refuseReplacing(file, store, options)
      if (!existsSync(dirname(resolve(file)))) throw new UsageError(`${dirname(resolve(file))} is no folder`)
      tell('backup', file, await copied('backup', options, (copy) => backupStore(store, resolve(file), copy)), options)
    })
  program
    .command('restore')
    .description('put a backup in the place of the store (COOLER_STORE); refused while anything has the store open')
    .argument('<file>', 'the backup')
    .option('--force', 'replace the store that is there')
    .addOption(checkOption())
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', '\nExample:\n  cooler restore --force /backups/cooler-2026-11-20.sqlite\n')
    .action(async (file: string, options: Options) => {
      const { store } = commandContext().config
      requireFileStore(store)
      requireFile(file)
      refuseReplacing(store, file, options)
      tell('store', store, await copied('restore', options, (copy) => restoreStore(file, store, copy)), options)
    })
}

const checkOption = (): Option =>
  new Option('--check <how>', 'look for damage: quickly, in full (indexes, too), or not at all')
    .choices(['quick', 'full', 'none'] satisfies CheckDepth[])
    .default('quick')

/** Requires a file to exist. @throws CoolerError `not-found` */
function requireFile(file: string): void {
  if (!existsSync(file)) throw new CoolerError('not-found', `${file} is not there`)
}

/** Refuses to copy a store onto itself, or onto an existing file without --force. @throws UsageError */
function refuseReplacing(file: string, source: string, { force }: Options): void {
  if (
    filesOfStore(source).some((one) => isSameFile(file, one)) ||
    filesOfStore(file).some((one) => isSameFile(one, source))
  )
    throw new UsageError(`${file} is what is to be copied`)
  if (!force && existsSync(file)) throw new UsageError(`${file} is there already: --force replaces it`)
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }))
  return first !== undefined && second !== undefined && first.dev === second.dev && first.ino === second.ino
}

type Copy = { check: CheckDepth; onProgress: (doneBytes: number, totalBytes: number) => void }

/** Copies with a progress bar. The bar appears with the first copied pages, when the total becomes known. */
async function copied(
  label: string,
  { check }: Options,
  copy: (options: Copy) => Promise<CopyResult>,
): Promise<CopyResult> {
  let progress = createProgress({ label, unit: 'bytes' })
  let isTotalKnown = false
  const onProgress = (doneBytes: number, totalBytes: number): void => {
    if (!isTotalKnown) progress = createProgress({ label, unit: 'bytes', total: totalBytes })
    isTotalKnown = true
    progress.update(doneBytes)
  }
  const result = await copy({ check, onProgress })
  progress.update(result.bytes)
  progress.finish()
  return result
}

function tell(what: string, file: string, { bytes, version }: CopyResult, { check, json }: Options): void {
  if (json) console.log(JSON.stringify({ [what]: file, bytes, schema: version, check }))
  else {
    const checked = check === 'none' ? 'not checked' : `checked (${check})`
    console.log(`${file}: ${bytes.toLocaleString('en')} bytes, schema ${version}, ${checked}`)
  }
}
