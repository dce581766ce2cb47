import type { Queue } from 'bullmq'
import { Backlog } from './backlog.ts'
import { ProducerError } from './producer-error.ts'
import { queueNodeOn } from './queue-contract.ts'
import type { RedisClient } from './redis-client.ts'
import { FULL_MEMORY_SHARE, usedMemoryShare } from './redis-state.ts'

/**
 * Makes a backlog that has room for batches while fewer than `limit` jobs wait and Redis has memory to spare. The
 * memory is checked as well because batches may be of any size.
 */
export const openBacklog = (queue: Queue, client: RedisClient, limit: number): Backlog =>
  new Backlog(async () => {
    const [waiting, share] = await Promise.all([queue.getWaitingCount(), usedMemoryShare(queueNodeOn(client))])
    if (share <= FULL_MEMORY_SHARE) return waiting
    const percent = Math.round(share * 100)
    throw new ProducerError(
      'queue-full',
      `Redis has used ${percent} % of its memory, ${waiting} jobs wait: run more workers, or send again later`,
    )
  }, limit)
