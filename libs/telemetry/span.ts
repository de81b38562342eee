import { type Link, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { SpanAttributes } from "./attributes.ts";
import { errorType } from "./error_type.ts";
import { maskText } from "./mask_text.ts";
import { extractTrace, type TraceCarrier } from "./trace_context.ts";

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** The kind of a span: a request received or made, an event published or consumed, or internal work. */
export type SpanKindName = keyof typeof KINDS;

/** Options of {@linkcode withSpan}. */
export interface SpanOptions {
  /** `internal` when left out. */
  kind?: SpanKindName;
  /** Attributes known at the start. {@linkcode addSpanAttributes} adds more. */
  attributes?: SpanAttributes;
  /** Other traces that this work belongs to, such as the events of a batch. */
  links?: TraceCarrier[];
}

/**
 * Runs a function inside a new span and returns its value. If it throws, the span gets the error,
 * `error.type` from the closed list and the status ERROR, and the error is thrown again.
 *
 * Names are few and contain no ids: `mailer.send`.
 */
export function withSpan<T>(
  name: string,
  options: SpanOptions,
  fn: (span: Span) => T | Promise<T>,
): Promise<T> {
  const { kind = "internal", attributes = {}, links } = options;
  const spanOptions = {
    kind: KINDS[kind],
    attributes,
    ...(links === undefined ? {} : { links: links.flatMap(toLink) }),
  };
  return trace.getTracer("posthaste").startActiveSpan(name, spanOptions, async (span) => {
    try {
      return await fn(span);
    } catch (error) {
      recordError(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Adds attributes to the current span, if there is one. */
export function addSpanAttributes(attributes: SpanAttributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

function recordError(span: Span, error: unknown): void {
  span.setAttribute("error.type", errorType(error));
  if (!span.isRecording()) return;
  const { name, message, stack } = error instanceof Error
    ? error
    : { name: "NonError", message: String(error), stack: undefined };
  const masked = maskText(message);
  span.recordException({
    name,
    message: masked,
    ...(stack === undefined ? {} : { stack: maskText(stack) }),
  });
  span.setStatus({ code: SpanStatusCode.ERROR, message: masked });
}

function toLink(carrier: TraceCarrier): Link[] {
  const spanContext = trace.getSpanContext(extractTrace(carrier));
  return spanContext === undefined ? [] : [{ context: spanContext }];
}
