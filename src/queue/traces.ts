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

/** The operations that become spans: adding a job and processing a job. */
const KINDS = new Map([
  [SpanKind.PRODUCER, OtelSpanKind.PRODUCER],
  [SpanKind.CONSUMER, OtelSpanKind.CONSUMER],
])

/**
 * Makes spans of a queue for the OpenTelemetry SDK that is registered in the process; without an SDK it makes none.
 *
 *     caller's span -> add telemetry.batch --(options of the job)--> process telemetry, once for each try
 *
 * The options of the job have the format of `bullmq-otel`, so either end may use that package. We do not: if they hold
 * anything else, it throws before BullMQ can fail the job. It also shows failed jobs as successful.
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

/** Tells whether an SDK that propagates traces is registered. */
export const isSdkRegistered = (): boolean => propagation.fields().length > 0

const unheard = (): void => {} // Does nothing, because there is no span.

/** For operations that BullMQ does by itself, such as looking for stalled jobs: each would be a separate trace. */
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
      const reason = attributes?.[TelemetryAttributes.JobFailedReason] // BullMQ's only sign of a failed job.
      if (reason !== undefined) failed(String(reason))
    },
    recordException(exception, time) {
      span.recordException(exception, time)
      failed(typeof exception === 'string' ? exception : (exception.message ?? ''))
    },
    end: () => span.end(),
  }
}

/** Returns the trace context to put into a job, or an empty text, which BullMQ leaves out of the job. */
function metadataOf(active: Context): string {
  const carrier: Record<string, string> = {}
  propagation.inject(active, carrier)
  return Object.keys(carrier).length === 0 ? '' : JSON.stringify(carrier)
}

/** Reads the trace context of a job. Text that cannot be read is ignored, so that the batch lands all the same. */
function contextOf(active: Context, metadata: string): Context {
  try {
    return propagation.extract(active, JSON.parse(metadata))
  } catch {
    return active
  }
}
