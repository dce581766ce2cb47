import { ProducerError } from './producer-error.ts'
import { MAX_EVENT_BYTES } from './queue-contract.ts'

/** Events as the queue carries them: their JSON texts, a line each, how many there are, and their bytes in UTF-8. */
export interface EventLine {
  readonly text: string
  readonly events: number
  readonly bytes: number
}

/**
 * @param index place of the event in the call, for the message
 * @throws ProducerError `event-not-serialisable`, `event-too-large`
 */
export const eventLine = (event: unknown, index: number): EventLine => sized(jsonText(event, index), index)

/** A line of text that is sent as it is, an event or not. Errors as eventLine. */
export function textLine(text: string, index: number): EventLine {
  if (!text.includes('\n')) return sized(text, index)
  throw new ProducerError('event-not-serialisable', `line ${index} has a line feed in it: send each line by itself`)
}

/** Several lines of text, sent as they are; blank ones are no events. Errors as eventLine. */
export function textLines(text: string, events: number): EventLine {
  const bytes = Buffer.byteLength(text)
  // Where all of it is no larger than one event may be, none is.
  if (bytes > MAX_EVENT_BYTES) for (const [index, line] of text.split('\n').entries()) sized(line, index)
  return { text, events, bytes }
}

function sized(text: string, index: number): EventLine {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_EVENT_BYTES) return { text, events: 1, bytes }
  const fault = `event ${index} is ${bytes} bytes of JSON, at most ${MAX_EVENT_BYTES} can land`
  throw new ProducerError('event-too-large', `${fault}: leave out what is no telemetry`)
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
