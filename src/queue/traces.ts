import {
  type Context,
  context,
  SpanKind as OtelSpanKind,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { type Span as QueueSpan, SpanKind, TelemetryAttributes } from 'bullmq'
import type { QueueTraces } from './queue-contract.ts'

/** What becomes a span: adding a job and processing one. */
const KINDS = new Map([
  [SpanKind.PRODUCER, OtelSpanKind.PRODUCER],
  [SpanKind.CONSUMER, OtelSpanKind.CONSUMER],
])

/**
 * Spans of a queue, for whatever OpenTelemetry SDK is registered in the process; without one there are none.
 *
 *     caller's span -> add telemetry.batch --(options of the job)--> process telemetry, once for each try
 *
 * The options of the job hold what `bullmq-otel` puts there, so either end may use that. It is not used here since it
 * throws where they hold anything else, before BullMQ can fail the job, and shows a job that failed as one that did not.
 */
export function queueTraces(): QueueTraces {
  return {
    tracer: {
      startSpan(name, options, parent: Context = context.active()) {
        const kind = options && KINDS.get(options.kind)
        if (kind === undefined) return NO_SPAN
        return queueSpan(trace.getTracer('cooler-reports').startSpan(name, { kind }, parent))
      },
    },
    contextManager: {
      with: (active: Context, work) => context.with(active, work),
      active: () => context.active(),
      root: () => ROOT_CONTEXT,
      getMetadata: metadataOf,
      fromMetadata: contextOf,
    },
  }
}

/** Whether there is an SDK that hands on traces. */
export const isSdkRegistered = (): boolean => propagation.fields().length > 0

const unheard = (): void => {} // There is no span that it could be told of.

/** Of what BullMQ does by itself, such as looking for stalled jobs: each would be a trace of its own, all day long. */
const NO_SPAN: QueueSpan<Context> = {
  setSpanOnContext: (active) => active,
  setAttribute: unheard,
  setAttributes: unheard,
  addEvent: unheard,
  recordException: unheard,
  end: unheard,
}

function queueSpan(span: Span): QueueSpan<Context> {
  const failed = (message: string): void => void span.setStatus({ code: SpanStatusCode.ERROR, message })
  return {
    setSpanOnContext: (active) => trace.setSpan(active, span),
    setAttribute: (key, value) => void span.setAttribute(key, value),
    setAttributes: (attributes) => void span.setAttributes(attributes),
    addEvent(name, attributes) {
      span.addEvent(name, attributes)
      const reason = attributes?.[TelemetryAttributes.JobFailedReason] // All that BullMQ says of a job that failed.
      if (reason !== undefined) failed(String(reason))
    },
    recordException(exception, time) {
      span.recordException(exception, time)
      failed(typeof exception === 'string' ? exception : (exception.message ?? ''))
    },
    end: () => span.end(),
  }
}

/** Empty where there is nothing to hand on: BullMQ then leaves it out of the job. */
function metadataOf(active: Context): string {
  const carrier: Record<string, string> = {}
  propagation.inject(active, carrier)
  return Object.keys(carrier).length === 0 ? '' : JSON.stringify(carrier)
}

/** Anything may stand in a job: what cannot be read is as good as nothing, and the batch lands all the same. */
function contextOf(active: Context, metadata: string): Context {
  try {
    return propagation.extract(active, JSON.parse(metadata))
  } catch {
    return active
  }
}
