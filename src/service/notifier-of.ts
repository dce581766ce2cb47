import type { Config } from '../config/config.ts'
import { linksTo } from '../notify/links.ts'
import { Notifier } from '../notify/notifier.ts'
import { openFileSenders } from '../notify/open-file-senders.ts'
import { openSenders } from '../notify/open-senders.ts'
import type { Senders } from '../notify/sender.ts'
import type { Pipeline } from './pipeline.ts'

/** Returns the notifier of a pipeline. */
export function notifierOf(config: Config, { notify, reader, reports, checkCopy, now }: Pipeline): Notifier {
  return new Notifier({
    thread: notify,
    reads: reader.notices,
    senders: sendersOf(config),
    files: { reports: { reports, now }, backups: { location: config.store, checkCopy } },
    now,
  })
}

/** Returns the senders that the settings allow. */
export function sendersOf({ notify, mqtt, delivery }: Config): Senders {
  const links = notify.publicUrl === null ? null : linksTo(notify.publicUrl)
  return { ...openSenders({ ...notify, mqtt, links }), ...openFileSenders(delivery) }
}
