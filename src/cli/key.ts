import type { Command } from 'commander'
import { type ApiKeyEntry, makeKey, SCOPES, type Scope } from '../config/api-keys.ts'
import { collect, collectLabel } from './arguments.ts'
import { UsageError } from './context.ts'

interface KeyOptions {
  scope: Scope[]
  device?: string[]
  prefix?: string
  label?: [key: string, value: string][]
  json?: boolean
}

/** Adds the command `key`. */
export function keyCommand(program: Command): void {
  program
    .command('key')
    .description('make an API key, shown once, and the entry of COOLER_API_KEYS that knows only its hash')
    .argument('<name>', 'by which the key is known in logs: letters, digits, dots, hyphens, underscores')
    .requiredOption('--scope <scope>', `what it is for: ${SCOPES.join(', ')}; may be given again`, scopes)
    .option('--device <id>', 'limits it to this device; may be given again', collect)
    .option('--prefix <text>', 'limits it to devices whose ids begin so')
    .option('--label <key:value>', 'limits it to devices with this label; given again, with each of them', collectLabel)
    .option('--json', 'print {"key", "entry"}')
    .addHelpText(
      'after',
      '\nExamples:\n  cooler key dashboard --scope read\n  cooler key shop-7 --scope ingest --prefix S7-\n',
    )
    .action((name: string, { scope, device, prefix, label, json }: KeyOptions) => {
      const limit = {
        ...(device === undefined ? {} : { devices: device }),
        ...(prefix === undefined ? {} : { prefix }),
        ...(label === undefined ? {} : { labels: Object.fromEntries(label) }),
      }
      const made = checkedKey({ name, scopes: scope, ...limit })
      console.log(json ? JSON.stringify(made) : printed(made))
    })
}

function checkedKey(about: Omit<ApiKeyEntry, 'sha256'>): ReturnType<typeof makeKey> {
  try {
    return makeKey(about)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Adds a scope to the previous ones. @throws UsageError */
function scopes(text: string, before: readonly Scope[] = []): Scope[] {
  const scope = SCOPES.find((one) => one === text)
  if (scope === undefined) throw new UsageError(`${JSON.stringify(text)} is no scope: there are ${SCOPES.join(', ')}`)
  return [...new Set([...before, scope])]
}

const printed = ({ key, entry }: ReturnType<typeof makeKey>): string =>
  `The key, shown once and kept nowhere here:\n\n${key}\n\n` +
  `Its entry, one of the JSON array of COOLER_API_KEYS:\n\n${JSON.stringify(entry)}`
