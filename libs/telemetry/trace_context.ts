import { type Context, context, isSpanContextValid, propagation, trace } from "@opentelemetry/api";

/** Trace context in transit: the two headers of W3C Trace Context. */
export interface TraceCarrier {
  /** Version, trace id, span id and flags. */
  traceparent?: string;
  /** Additions of other tracing systems. */
  tracestate?: string;
}

/** Returns the context of the current trace, to be carried in an event; empty outside of a span. */
export function injectTrace(): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/**
 * Reads the carrier that {@linkcode injectTrace} wrote. A missing or malformed carrier results in a context
 * without a trace, in which the next span starts one.
 */
export function extractTrace(carrier: TraceCarrier | undefined): Context {
  // The current trace must not leak into the work of an event that came without one.
  const root = trace.deleteSpan(context.active());
  return carrier === undefined ? root : propagation.extract(root, carrier);
}

/** Runs a function, and all that it starts, inside a context. */
export function withContext<T>(ctx: Context, fn: () => T): T {
  return context.with(ctx, fn);
}

/** Returns the id of the current trace, 32 hexadecimal digits, if there is one. */
export function currentTraceId(): string | undefined {
  return currentTrace()?.traceId;
}

/** Returns the ids of the current span, if there is one. */
export function currentTrace(): { traceId: string; spanId: string } | undefined {
  const spanContext = trace.getActiveSpan()?.spanContext();
  return spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext : undefined;
}
