import { randomUUID } from "node:crypto";
import {
  type Context,
  context,
  type Span,
  type SpanOptions,
  trace,
  TraceFlags,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";

/**
 * Returns tracers whose spans record nothing, for a process without an exporter. They have ids, so that traces travel
 * on and lines of the log name them. A span that records costs four times as much.
 */
export function nonRecordingTracers(): TracerProvider {
  const tracer = nonRecordingTracer();
  return { getTracer: () => tracer };
}

function nonRecordingTracer(): Tracer {
  function startSpan(
    _name: string,
    { root = false }: SpanOptions = {},
    parent = context.active(),
  ): Span {
    const parentContext = root ? undefined : trace.getSpanContext(parent);
    const isChild = parentContext !== undefined && trace.isSpanContextValid(parentContext);
    const ofTrace = isChild
      // What other flags mean is unknown.
      ? { ...parentContext, traceFlags: parentContext.traceFlags & TraceFlags.SAMPLED }
      : { traceId: newTraceId(), traceFlags: TraceFlags.SAMPLED };
    return trace.wrapSpanContext({ ...ofTrace, isRemote: false, spanId: newSpanId() });
  }

  function startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    ...rest: [F] | [SpanOptions, F] | [SpanOptions, Context, F]
  ): ReturnType<F> {
    const fn = rest.at(-1) as F;
    const options = rest.length > 1 ? rest[0] as SpanOptions : undefined;
    const parent = rest.length > 2 ? rest[1] as Context : context.active();
    const span = startSpan(name, options, parent);
    return context.with(trace.setSpan(parent, span), () => fn(span)) as ReturnType<F>;
  }

  return { startSpan, startActiveSpan };
}

/** 32 hexadecimal digits, the last 15 of them random (W3C Trace Context Level 2, section 3.2.2.3). */
function newTraceId(): string {
  return randomUUID().replaceAll("-", "");
}

function newSpanId(): string {
  return newTraceId().slice(16);
}
