import type { Logger } from 'pino'
import { formatInstant } from '../base/time.ts'
import type { EraseOptions } from '../erase/erase.ts'
import type { Erased, EraseRequest } from '../erase/erase-request.ts'
import type { Eraser } from '../erase/eraser.ts'
import { END_OF_TIME } from '../store/due.ts'

/** Erases events and logs how many, but never their contents. Also logs an erasure that fails half-way. */
export async function eraseLogged(
  eraser: Pick<Eraser, 'erase'>,
  request: EraseRequest,
  options: Omit<EraseOptions, 'isStopping'>,
  logger: Pick<Logger, 'info' | 'warn'>,
): Promise<Erased> {
  const asked = describe(request)
  try {
    const erased = await eraser.erase(request, options)
    if (options.dryRun !== true) logger.info({ ...asked, ...erased }, 'events erased')
    return erased
  } catch (error) {
    if (options.dryRun !== true) logger.warn({ ...asked, err: error }, 'events were not erased, or not all of them')
    throw error
  }
}

function describe(request: EraseRequest): Record<string, unknown> {
  if ('import' in request) return { import: request.import }
  const { device, fromAt, toAt, type } = request
  return {
    device,
    from: fromAt === 0 ? null : formatInstant(fromAt),
    to: toAt === END_OF_TIME ? null : formatInstant(toAt),
    type,
  }
}
