import { Job, type Queue } from 'bullmq'
import type { RedisClient } from './redis-client.ts'

/** Prefix of the failed reason of jobs that failMalformedJobs has failed. */
export const MALFORMED = 'malformed-job: '

/**
 * Moves a job from active to failed, as BullMQ does, unless it is no longer active. Data that is not JSON becomes a
 * JSON string of its whole text, so that BullMQ and its tools can read the job. Other unreadable fields are renamed.
 */
const FAIL_SCRIPT = `
  local active, failed, stalled, events, job, lock = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
  local id, reason, now = ARGV[1], ARGV[2], ARGV[3]
  if redis.call('LREM', active, 1, id) == 0 then return 0 end
  for index = 4, #ARGV do
    local field = ARGV[index]
    local text = redis.call('HGET', job, field)
    if field == 'data' then
      redis.call('HSET', job, field, cjson.encode(text))
    else
      redis.call('HSET', job, 'malformed:' .. field, text)
      redis.call('HDEL', job, field)
    end
  end
  redis.call('HSET', job, 'failedReason', reason, 'finishedOn', now)
  redis.call('HDEL', job, 'defa')
  redis.call('SREM', stalled, id)
  redis.call('DEL', lock)
  redis.call('ZADD', failed, now, id)
  redis.call('XADD', events, 'MAXLEN', '~', 10000, '*', 'event', 'failed', 'jobId', id, 'failedReason', reason, 'prev', 'active')
  return 1`

/**
 * Fails the active jobs that BullMQ cannot read, and resolves to their ids. BullMQ itself cannot fail them (bullmq
 * 6.7): they would stall, be taken up again and stall for ever.
 */
export async function failMalformedJobs(queue: Queue, client: RedisClient): Promise<string[]> {
  const failed: string[] = []
  for (const id of await client.lrange(queue.toKey('active'), 0, -1)) {
    const fault = await faultOf(queue, id)
    if (fault === null) continue
    const fields = await unreadableFields(client, queue.toKey(id))
    const reason = `${MALFORMED}${fields.join(', ') || 'fields'} cannot be read: ${fault}`
    const keys = ['active', 'failed', 'stalled', 'events', id, `${id}:lock`].map((name) => queue.toKey(name))
    const moved = await client.eval(FAIL_SCRIPT, keys.length, ...keys, id, reason, Date.now(), ...fields)
    if (moved === 1) failed.push(id)
  }
  return failed
}

/** Returns why BullMQ cannot read a job; null if it can. */
async function faultOf(queue: Queue, id: string): Promise<string | null> {
  try {
    await Job.fromId(queue, id)
    return null
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return (error as Error).message.slice(0, 200)
  }
}

/** Tells whether an error of BullMQ means that it could not read the fields of a job. */
export const isUnreadable = (error: unknown): boolean => error instanceof SyntaxError || error instanceof TypeError

/** Returns the fields of a job that BullMQ fails to read as JSON. `opts` and `parent` must be objects. */
async function unreadableFields(client: RedisClient, key: string): Promise<string[]> {
  const fields = ['data', 'opts', 'parent']
  const texts = await client.hmget(key, ...fields)
  return fields.filter((field, index) => {
    const text = texts[index]
    if (text === null || text === '') return false
    try {
      const value = JSON.parse(text)
      return field !== 'data' && (typeof value !== 'object' || value === null)
    } catch {
      return true
    }
  })
}

/** Most failed jobs that are looked at, newest first. */
const MOST_LOOKED_AT = 1000

/** Returns the ids of failed jobs that were malformed, newest first. */
export async function malformedJobs(queue: Queue, client: RedisClient): Promise<string[]> {
  const ids = await queue.getRanges(['failed'], 0, MOST_LOOKED_AT - 1, false)
  const reasons = await failedReasons(queue, client, ids)
  return ids.filter((_, index) => reasons[index]?.startsWith(MALFORMED))
}

/** Returns why each job failed, or null. Reads no other field, because a job may be large or unreadable. */
export async function failedReasons(
  queue: Queue,
  client: RedisClient,
  ids: readonly string[],
): Promise<(string | null)[]> {
  return Promise.all(ids.map((id) => client.hget(queue.toKey(id), 'failedReason')))
}
