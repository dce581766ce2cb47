import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { CoolerError } from '../base/errors.ts'
import { formatInstant } from '../base/time.ts'
import { shownChannel, withKeptSecrets } from '../notify/channel.ts'
import { Damages } from '../notify/damages.ts'
import { type WouldTell, wouldTell } from '../notify/dry-run.ts'
import { inUse, ofKind, watchesOf } from '../notify/in-use.ts'
import { channelOf, readSubscription } from '../notify/stored.ts'
import { checkSubscription, type Subscription } from '../notify/subscription.ts'
import { openPipeline, openReadingPipeline, type Pipeline } from '../service/pipeline.ts'
import { descriptionSettings } from '../service/reports-on.ts'
import type { NoticeReads, StoredSubscription } from '../store/notices.ts'
import { dayArgument } from './arguments.ts'
import { commandContext } from './context.ts'
import { type Column, renderTable } from './output/table.ts'
import { terminal } from './report.ts'

interface SubscriptionsOptions {
  import?: string
  remove?: string
  json?: boolean
}

interface NotifyOptions {
  dryRun?: number
  json?: boolean
}

/** Adds the commands `subscriptions` and `notify`. */
export function notifyCommands(program: Command): void {
  program
    .command('subscriptions')
    .description('list who is told what and what is delivered where, or change it')
    .option('--import <file>', 'create or replace those of a JSON file: one subscription, or an array of them')
    .option('--remove <id>', 'remove one')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExamples:\n  cooler subscriptions --import subscriptions.json\n')
    .action(async (options: SubscriptionsOptions) => {
      const isChange = options.import !== undefined || options.remove !== undefined
      await withPipeline(isChange, async (pipeline) => {
        if (options.import !== undefined) await importFile(pipeline, options.import)
        if (options.remove !== undefined) await remove(pipeline, options.remove)
        tellSubscriptions(await pipeline.reader.notices.subscriptions(), options.json)
      })
    })
  program
    .command('notify')
    .description('make and send once what subscriptions are to be told and delivered, as a service does all the time')
    .option('--dry-run <day>', 'send nothing: list what subscriptions tell of a local day, YYYYMMDD', dayArgument)
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExamples:\n  cooler notify --dry-run 20260601\n')
    .action(({ dryRun, json }: NotifyOptions) =>
      withPipeline(dryRun === undefined, async (pipeline) => {
        if (dryRun === undefined) await notifyOnce(pipeline)
        else tellDryRun(await dryRunOf(pipeline, dryRun), json)
      }),
    )
}

async function withPipeline(writes: boolean, work: (pipeline: Pipeline) => Promise<void>): Promise<void> {
  const { config } = commandContext()
  const pipeline = await (writes ? openPipeline(config) : openReadingPipeline(config))
  try {
    await work(pipeline)
  } finally {
    await pipeline.close()
  }
}

/** Imports all subscriptions of a file, or none: all are checked before the first one is stored. */
async function importFile(pipeline: Pipeline, file: string): Promise<void> {
  const kept = new Map((await pipeline.reader.notices.subscriptions()).map((one) => [one.id, channelOf(one)]))
  const entries = [parsed(file)].flat()
  const checked = entries.map((entry, index) => {
    try {
      if (typeof entry !== 'object' || entry === null) return checkSubscription(entry)
      const { id = '', channel } = entry as Partial<Subscription>
      return checkSubscription({ ...entry, channel: withKeptSecrets(channel, kept.get(id)) })
    } catch (error) {
      throw new CoolerError('bad-request', `${file}: subscription ${index + 1}: ${(error as Error).message}`)
    }
  })
  for (const one of checked)
    await pipeline.notify.run('call', {
      name: 'putSubscription',
      values: [one.id, JSON.stringify(one), pipeline.now()],
    })
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    // The message of JSON.parse quotes the text, which may hold secrets.
    const { code } = error as NodeJS.ErrnoException
    throw new CoolerError('bad-request', `${file} ${code === undefined ? 'is not JSON' : `cannot be read (${code})`}`)
  }
}

async function remove({ notify }: Pipeline, id: string): Promise<void> {
  const removed = await notify.run('call', { name: 'removeSubscription', values: [id] })
  if (!removed) throw new CoolerError('not-found', `there is no subscription ${JSON.stringify(id)}`)
}

/** Returns a subscription without secrets. */
function shown(stored: StoredSubscription) {
  const subscription = readSubscription(stored)
  return {
    ...subscription,
    channel: shownChannel(subscription.channel),
    createdAt: formatInstant(stored.createdAt),
    changedAt: formatInstant(stored.changedAt),
    endedWhy: stored.endedWhy,
  }
}

const SUBSCRIPTION_COLUMNS: Column<ReturnType<typeof shown>>[] = [
  { title: 'id', value: ({ id }) => id, importance: 9 },
  { title: 'kind', value: ({ kind }) => kind, importance: 8 },
  { title: 'to', value: ({ channel }) => channel.type, importance: 7 },
  {
    title: 'state',
    value: ({ enabled, endedWhy }) => endedWhy ?? (enabled === false ? 'off' : 'in use'),
    importance: 8,
  },
  { title: 'changed', value: ({ changedAt }) => changedAt, importance: 5 },
]

function tellSubscriptions(stored: readonly StoredSubscription[], json = false): void {
  const damages = new Damages()
  const rows = stored.flatMap((one) => damages.read(() => shown(one)) ?? [])
  if (json) for (const row of rows) console.log(JSON.stringify(row))
  else console.log(renderTable(SUBSCRIPTION_COLUMNS, rows, terminal()))
  damages.throwFirst()
}

async function notifyOnce(pipeline: Pipeline): Promise<void> {
  const { config } = commandContext()
  const { notifierOf } = await import('../service/notifier-of.ts')
  const notifier = notifierOf(config, pipeline)
  try {
    const { composed, sent, failed } = await notifier.run(({ id }, outcome) => {
      if (outcome.as !== 'sent') console.error(`cooler: ${id}: ${outcome.error}`)
    })
    console.log(`made ${composed}, sent ${sent}, failed ${failed}`)
    if (failed > 0) process.exitCode = 1
  } finally {
    await notifier.close()
  }
}

async function dryRunOf({ reader }: Pipeline, day: number): Promise<WouldTell[]> {
  const settings = descriptionSettings(commandContext().config)
  return reader.snapshot(async (view) => {
    const damages = new Damages()
    const all = inUse(await (view.notices satisfies NoticeReads).subscriptions(), damages)
    damages.throwFirst()
    return wouldTell(view, watchesOf(ofKind(all, 'exceptions'), settings.exceptions), day, settings)
  })
}

const DRY_RUN_COLUMNS: Column<WouldTell>[] = [
  { title: 'subscription', value: ({ subscription }) => subscription, importance: 8 },
  { title: 'device', value: ({ deviceId }) => deviceId, importance: 9 },
  { title: 'exception', value: ({ exception }) => exception, importance: 9 },
  { title: 'value', value: ({ value }) => value, importance: 7 },
  { title: 'limit', value: ({ limit }) => limit, importance: 6 },
  { title: 'unit', value: ({ unit }) => unit, importance: 6 },
  { title: 'status', value: ({ status }) => status, importance: 5 },
]

function tellDryRun(rows: readonly WouldTell[], json = false): void {
  if (json) for (const row of rows) console.log(JSON.stringify(row))
  else console.log(renderTable(DRY_RUN_COLUMNS, rows, terminal()))
}
