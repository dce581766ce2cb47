import type { Generated, Step } from './case.ts'

/** Copies, order and chunks of the posts change nothing, so they are left out. */
function generate({ count, startAt, everyMs, event, cycle = {}, skip = [] }: Generated): unknown[] {
  const start = typeof startAt === 'number' ? startAt : Date.parse(startAt)
  return Array.from({ length: count }, (_, i) => {
    const fields = Object.entries(cycle).map(([name, values]) => [name, values[i % values.length]])
    return { ...event, at: start + i * everyMs, ...Object.fromEntries(fields) }
  }).filter((_, i) => !skip.includes(i))
}

/** A line that is no JSON counts as the text it is: no object. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

function parseText(text: string, contentType: string | undefined): unknown[] {
  if (contentType === 'application/json') {
    const batch = JSON.parse(text) as unknown[] | { events: unknown[] }
    return Array.isArray(batch) ? batch : batch.events
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.map(parseLine)
}

/** The values that a step posts as events, or null where it posts nothing. */
export function postedValues({ post, postGenerated, postText, base64, contentType }: Step): unknown[] | null {
  if (post !== undefined) return post
  if (postGenerated !== undefined) return generate(postGenerated)
  if (postText === undefined) return null
  const text = Buffer.from(postText, base64 ? 'base64' : 'utf8').toString('utf8')
  return parseText(text.replace(/^\uFEFF/, ''), contentType)
}
