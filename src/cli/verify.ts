import type { Command } from 'commander'
import { CoolerError } from '../base/errors.ts'
import { startThreads } from '../base/threads.ts'
import { formatDay } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import { openPipeline, openReadingPipeline, type Pipeline, rollupSettings } from '../service/pipeline.ts'
import { isDamage } from '../store/damaged-events.ts'
import type { Difference } from '../verify/difference.ts'
import { type Verification, Verifier } from '../verify/verifier.ts'
import type { VerifyRequest } from '../verify/verify-task.ts'
import type { VerifyTasks, VerifyThreadData } from '../verify/verify-thread.ts'
import { collect, dayArgument, wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { createProgress } from './output/progress.ts'
import { type Column, renderTable } from './output/table.ts'
import { terminal } from './report.ts'

interface VerifyOptions {
  from?: number
  to?: number
  id?: string[]
  fix?: boolean
  limit: number
  json?: boolean
}

/** Adds the command `verify`. */
export function verifyCommand(program: Command): void {
  program
    .command('verify')
    .description('compute rollups from their raw events and tell where what is stored differs; a service may go on')
    .option(
      '--from <day>',
      'first local day, YYYYMMDD: what is stored of the day before is taken as it is',
      dayArgument,
    )
    .option('--to <day>', 'last local day, YYYYMMDD', dayArgument)
    .option('--id <id>', 'only this device; may be given again', collect)
    .option('--fix', 'roll up again what differs, and verify it once more')
    .option('--limit <count>', 'print at most so many differences', wholeNumber(0, 1_000_000), 1000)
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', HELP)
    .action(async (options: VerifyOptions) => {
      const { config } = commandContext()
      const pipeline = await (options.fix === true ? openPipeline(config) : openReadingPipeline(config))
      try {
        await verify(pipeline, config, options)
      } finally {
        await pipeline.close()
      }
    })
}

const HELP = `
It computes every rollup again from each device's first event on, and compares each byte of what is stored, also when the
device was heard, and its fixes. It only reads, and may run while a service does. Events that wait for a rollup are no
difference. Days whose raw events have been deleted are counted and left out. --fix rolls up what differs, keeps the wrong
figures of settled days as revisions, and verifies them again. The store does not record how much of an open day had passed at
its last rollup: there a wrong record is found by its power time alone.

Examples:
  cooler verify
  cooler verify --from 20260601 --id CLR-000001 --fix
`

/** Verifies and, with --fix, repairs. @throws Error that says how much (still) differs, so that the command fails */
async function verify(pipeline: Pipeline, config: Config, options: VerifyOptions): Promise<void> {
  const { reader } = pipeline
  const request = await requestOf(pipeline, options)
  const threads = startThreads<VerifyTasks>(new URL('../verify/verify-thread.ts', import.meta.url), {
    threads: config.threads,
    data: { store: pipeline.store, settings: rollupSettings(config) } satisfies VerifyThreadData,
  })
  try {
    const verifier = new Verifier(reader, threads, config.threads)
    const found = await withProgress(request.devices?.length ?? (await reader.registry.count()), (onProgress) =>
      verifier.verify(request, onProgress),
    )
    const repair = options.fix === true && found.differing > 0
    if (repair) {
      await verifier.repair(found)
      await pipeline.runner.run({ now: pipeline.now() }).catch(unlessDamaged)
    }
    const left = repair ? await verifier.verifyAgain(found, { ...request, now: pipeline.now() }) : found
    console.log(await printed(pipeline, options, found, repair ? left : null))
    if (left.differing > 0) throw new Error(failure(left, repair))
  } finally {
    await threads.close()
  }
}

/** Ignores damage to the store: all readable days have been rolled up, and the rest is printed. Throws other errors. */
function unlessDamaged(error: unknown): void {
  if (!isDamage(error)) throw error
}

async function requestOf({ reader, now }: Pipeline, { from, to, id, limit }: VerifyOptions): Promise<VerifyRequest> {
  if (from !== undefined && to !== undefined && to < from) throw new UsageError('--to is before --from')
  const devices = id && (await Promise.all([...new Set(id)].map((one) => numberOf(reader, one))))
  return { from: from ?? null, to: to ?? null, devices: devices ?? null, now: now(), most: limit }
}

async function numberOf({ registry }: Pipeline['reader'], id: string): Promise<number> {
  const device = await registry.device(id)
  if (device === null) throw new CoolerError('not-found', `no device ${JSON.stringify(id)}`)
  return device.number
}

async function withProgress<Result>(
  total: number,
  work: (onProgress: (devices: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress({ label: 'verify', unit: 'devices', total })
  try {
    return await work((devices) => progress.update(devices))
  } finally {
    progress.finish()
  }
}

/** A difference as it is printed. */
interface Line {
  device: string | null
  day: number | null
  what: Difference['kind']
  fields: Difference['fields']
}

async function linesOf({ reader }: Pipeline, { differences }: Verification): Promise<Line[]> {
  const ids = await reader.registry.ids(differences.map(({ device }) => device))
  const lines = differences.map(({ device, day, kind, fields }) => ({
    device: ids.get(device) ?? null,
    day: day === null ? null : formatDay(day),
    what: kind,
    fields,
  }))
  const key = ({ device }: Line): string => device ?? ''
  return lines.sort((one, other) =>
    key(one) === key(other) ? (one.day ?? 0) - (other.day ?? 0) : key(one) < key(other) ? -1 : 1,
  )
}

/** Returns a verification as text or JSON. `left` is what still differs after a repair; null without a repair. */
async function printed(
  pipeline: Pipeline,
  { json }: VerifyOptions,
  found: Verification,
  left: Verification | null,
): Promise<string> {
  const lines = await linesOf(pipeline, found)
  const linesLeft = left && (await linesOf(pipeline, left))
  if (json) {
    const { wrong: _, differences: __, ...counts } = found
    const repaired = left && { repaired: true, differingStill: left.differing, differencesStill: linesLeft }
    return JSON.stringify({ ...counts, differences: lines, ...repaired })
  }
  const parts = lines.length > 0 ? [renderTable(COLUMNS, lines, terminal())] : []
  if (left !== null) parts.push(`${count(found.differing)} differences were rolled up again`)
  if (linesLeft && linesLeft.length > 0) parts.push(renderTable(COLUMNS, linesLeft, terminal()))
  return [...parts, summary(left === null ? found : { ...found, differing: left.differing })].join('\n')
}

const COLUMNS: readonly Column<Line>[] = [
  { title: 'device', value: ({ device }) => device, importance: 9 },
  { title: 'day', value: ({ day }) => day, importance: 8 },
  { title: 'what', value: ({ what }) => what, importance: 7 },
  { title: 'stored, computed', value: ({ fields }) => fieldsText(fields), importance: 6 },
]

const fieldsText = (fields: Difference['fields']): string =>
  Object.entries(fields)
    .map(([name, { stored, computed }]) => `${name} ${JSON.stringify(stored)}, ${JSON.stringify(computed)}`)
    .join('; ')

const count = (value: number): string => value.toLocaleString('en')

function summary({ deviceDays, devices, dueDevices, dueDays, withoutRaw, differing }: Verification): string {
  const parts = [`${count(deviceDays)} device-days of ${count(devices)} devices compared`]
  if (dueDevices > 0) parts.push(`${count(dueDevices)} devices left out, as they wait for a rollup`)
  if (dueDays > 0) parts.push(`${count(dueDays)} device-days of which events wait for a rollup`)
  if (withoutRaw > 0) parts.push(`${count(withoutRaw)} stored device-days left out, as their raw events are deleted`)
  return `${parts.join('; ')}${differing === 0 ? '; nothing differs' : ''}`
}

function failure({ differing }: Verification, repaired: boolean): string {
  const what = `${count(differing)} ${differing === 1 ? 'difference' : 'differences'}`
  return repaired
    ? `${what} left after the repair`
    : `${what} between what is stored and what the raw events give: \`cooler verify --fix\` rolls them up again`
}
