import { SentinelConnector } from 'ioredis'
import { MASTER_UNKNOWN } from './redis-away.ts'

type Report = Parameters<SentinelConnector['connect']>[0]

/**
 * Connects to the master that the Sentinels name, as ioredis does, but with errors that contain the reason: ioredis
 * reports it separately. ioredis also reports an error when it merely starts again at the first Sentinel of its list;
 * that error is left out.
 */
export class ExplainingSentinelConnector extends SentinelConnector {
  override async connect(report: Report): ReturnType<SentinelConnector['connect']> {
    let reason: Error | null = null
    const explained = (error: Error): Error =>
      reason !== null && error.message.startsWith('All sentinels are unreachable')
        ? new Error(`${MASTER_UNKNOWN}: ${this.#describe(reason)}`)
        : error
    try {
      return await super.connect((type, error) => {
        if (type === 'sentinelError') reason = error
        else if (reason !== null) {
          report(type, explained(error))
          reason = null
        }
      })
    } catch (error) {
      throw explained(error as Error)
    }
  }

  #describe({ message }: Error): string {
    const isNameWrong = /invalid reply: null|No such master/.test(message)
    return isNameWrong ? `none of that name (${this.options.name})` : message
  }
}
