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
import type { IdGenerator } from "@opentelemetry/sdk-trace";

/**
 * Returns traces that nobody receives: spans have ids, so that traces travel on and lines of the log name them,
 * but keep nothing. A span that records costs many times as much.
 */
export function unrecordedTraces(ids: IdGenerator): TracerProvider {
  const tracer = unrecordedTracer(ids);
  return { getTracer: () => tracer };
}

function unrecordedTracer(ids: IdGenerator): Tracer {
  function startSpan(
    _name: string,
    { root = false }: SpanOptions = {},
    parent = context.active(),
  ): Span {
    const above = root ? undefined : trace.getSpanContext(parent);
    const isChild = above !== undefined && trace.isSpanContextValid(above);
    const trail = isChild
      ? above
      : { traceId: ids.generateTraceId(), traceFlags: TraceFlags.SAMPLED };
    return trace.wrapSpanContext({ ...trail, isRemote: false, spanId: ids.generateSpanId() });
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
