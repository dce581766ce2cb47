import { MAX_EVENT_BYTES } from '../event/batch-job.ts'
import { ProducerError } from '../queue/producer-error.ts'

const LINE_FEED = 0x0a

/** An event as the queue carries it: its JSON text, and the length of the text in UTF-8. */
export interface EventLine {
  readonly text: string
  readonly bytes: number
}

/**
 * Makes the line of an event. `index` is the place of the event in the call, for the message.
 * @throws ProducerError `event-not-serialisable`, `event-too-large`
 */
export const eventLine = (event: unknown, index: number): EventLine => sized(jsonText(event, index), index)

/** Makes a line of a text, without checking whether it is an event. Throws the errors of `eventLine`. */
export function textLine(text: string, index: number): EventLine {
  if (!text.includes('\n')) return sized(text, index)
  throw new ProducerError('event-not-serialisable', `line ${index} has a line feed in it: send each line by itself`)
}

/** Throws if a line of the text is longer than an event may be; the errors are those of `eventLine`. */
export function requireShortLines(text: Buffer): void {
  // A text no longer than one event may be has no line that is too long.
  if (text.length <= MAX_EVENT_BYTES) return
  for (let start = 0, index = 0; start < text.length; index++) {
    const feed = text.indexOf(LINE_FEED, start)
    const end = feed < 0 ? text.length : feed
    if (end - start > MAX_EVENT_BYTES) throw tooLarge(index, end - start)
    start = end + 1
  }
}

function sized(text: string, index: number): EventLine {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_EVENT_BYTES) throw tooLarge(index, bytes)
  return { text, bytes }
}

function tooLarge(index: number, bytes: number): ProducerError {
  const fault = `event ${index} is ${bytes} bytes of JSON, at most ${MAX_EVENT_BYTES} can land`
  return new ProducerError('event-too-large', `${fault}: leave out what is no telemetry`)
}

function jsonText(event: unknown, index: number): string {
  let text: string | undefined
  let cause: unknown
  try {
    text = JSON.stringify(event)
  } catch (error) {
    cause = error
  }
  if (text !== undefined) return text
  const why = cause instanceof Error ? cause.message.split('\n')[0] : `a value of type ${typeof event}`
  const message = `event ${index} has no JSON text (${why}): send a plain object`
  throw new ProducerError('event-not-serialisable', message, { cause })
}
