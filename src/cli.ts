#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { VERSION } from './base/version.ts'
import { UsageError } from './cli/context.ts'

interface CommandFile {
  names: readonly string[]
  load: () => Promise<(program: Command) => void>
}

/** The commands and their files. A file is loaded only when needed: loading all takes longer than most commands run. */
const COMMANDS: readonly CommandFile[] = [
  { names: ['start', 'serve', 'work'], load: async () => (await import('./cli/start.ts')).serviceCommands },
  { names: ['ingest'], load: async () => (await import('./cli/ingest.ts')).ingestCommand },
  { names: ['import'], load: async () => (await import('./cli/import.ts')).importCommand },
  { names: ['bridge'], load: async () => (await import('./cli/bridge.ts')).bridgeCommand },
  { names: ['rollup'], load: async () => (await import('./cli/rollup.ts')).rollupCommand },
  { names: ['compact', 'prune-raw'], load: async () => (await import('./cli/upkeep.ts')).upkeepCommands },
  { names: ['report'], load: async () => (await import('./cli/report.ts')).reportCommand },
  { names: ['fleet'], load: async () => (await import('./cli/fleet.ts')).fleetCommand },
  { names: ['explain'], load: async () => (await import('./cli/explain.ts')).explainCommand },
  { names: ['verify'], load: async () => (await import('./cli/verify.ts')).verifyCommand },
  { names: ['devices'], load: async () => (await import('./cli/devices.ts')).devicesCommand },
  { names: ['events'], load: async () => (await import('./cli/events.ts')).eventsCommand },
  { names: ['rejects'], load: async () => (await import('./cli/rejects.ts')).rejectsCommand },
  { names: ['subscriptions', 'notify'], load: async () => (await import('./cli/notify.ts')).notifyCommands },
  { names: ['erase'], load: async () => (await import('./cli/erase.ts')).eraseCommand },
  { names: ['key'], load: async () => (await import('./cli/key.ts')).keyCommand },
  { names: ['backup', 'restore'], load: async () => (await import('./cli/backup.ts')).backupCommands },
  { names: ['move'], load: async () => (await import('./cli/move.ts')).moveCommand },
  { names: ['doctor'], load: async () => (await import('./cli/doctor.ts')).doctorCommand },
  { names: ['simulate'], load: async () => (await import('./cli/simulate.ts')).simulateCommand },
  { names: ['demo'], load: async () => (await import('./cli/demo.ts')).demoCommand },
  { names: ['example'], load: async () => (await import('./cli/example.ts')).exampleCommand },
  { names: ['completion'], load: async () => (await import('./cli/completion.ts')).completionCommand },
]

/** This command describes all others, so all files are loaded for it. */
const TELLS_OF_ALL = 'completion'

const FAILED = 1
const USAGE = 2

/** Runs a command line and returns the exit code: 0 on success, 1 on failure, 2 on wrong usage. */
async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('cooler')
    .description('telemetry of shop coolers in, daily rollups kept, reports out')
    .version(VERSION, '--version', 'print the version')
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
  const [, , name = ''] = argv
  const asked = COMMANDS.filter(({ names }) => names.includes(name) && name !== TELLS_OF_ALL)
  const files = asked.length > 0 ? asked : COMMANDS
  for (const add of await Promise.all(files.map(({ load }) => load()))) add(program)
  // Commands inherit the program's handling only if they are added after it is set; arguments are checked on parsing.
  for (const command of program.commands) command.exitOverride()
  try {
    await program.parseAsync(argv)
    return 0
  } catch (error) {
    return exitCode(error)
  }
}

function exitCode(error: unknown): number {
  // Commander has already printed its own message. Help that was asked for is not a failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
  console.error(`cooler: ${error instanceof Error ? error.message : String(error)}`)
  return error instanceof UsageError ? USAGE : FAILED
}

// A reader that has seen enough (`cooler events ... | head`) closes the pipe. That ends the program without a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})
process.exitCode = await main(process.argv)
