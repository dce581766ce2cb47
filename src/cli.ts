#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { backupCommands } from './cli/backup.ts'
import { bridgeCommand } from './cli/bridge.ts'
import { completionCommand } from './cli/completion.ts'
import { UsageError } from './cli/context.ts'
import { demoCommand } from './cli/demo.ts'
import { devicesCommand } from './cli/devices.ts'
import { doctorCommand } from './cli/doctor.ts'
import { eventsCommand } from './cli/events.ts'
import { exampleCommand } from './cli/example.ts'
import { explainCommand } from './cli/explain.ts'
import { importCommand } from './cli/import.ts'
import { ingestCommand } from './cli/ingest.ts'
import { keyCommand } from './cli/key.ts'
import { rejectsCommand } from './cli/rejects.ts'
import { reportCommand } from './cli/report.ts'
import { rollupCommand } from './cli/rollup.ts'
import { simulateCommand } from './cli/simulate.ts'
import { serviceCommands } from './cli/start.ts'
import { upkeepCommands } from './cli/upkeep.ts'
import { verifyCommand } from './cli/verify.ts'
import { VERSION } from './version.ts'

const FAILED = 1
const USAGE = 2

/** Runs a command line and gives the exit code: 0, 1 where it failed, 2 where it was used wrongly. */
async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('cooler')
    .description('telemetry of shop coolers in, daily rollups kept, reports out')
    .version(VERSION, '--version', 'print the version')
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
  const parts = [
    serviceCommands,
    ingestCommand,
    importCommand,
    bridgeCommand,
    rollupCommand,
    upkeepCommands,
    reportCommand,
    explainCommand,
    verifyCommand,
    devicesCommand,
    eventsCommand,
    rejectsCommand,
    keyCommand,
    backupCommands,
    doctorCommand,
    simulateCommand,
    demoCommand,
    exampleCommand,
    completionCommand,
  ]
  for (const add of parts) add(program)
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
  // Commander has printed its own message already; help that was asked for is no fault.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
  console.error(`cooler: ${error instanceof Error ? error.message : String(error)}`)
  return error instanceof UsageError ? USAGE : FAILED
}

// A reader that has seen enough (`cooler events ... | head`) closes the pipe: that ends the program, and is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})
process.exitCode = await main(process.argv)
