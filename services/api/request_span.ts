import {
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import {
  errorType,
  extractTrace,
  type Logger,
  recordDuration,
  type SpanAttributes,
  withContext,
} from "@posthaste/telemetry";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** What is measured about the request; removed once it is recorded. */
    measured: Measured | undefined;
  }
}

interface Measured {
  span: Span;
  startedAt: number;
  route: string | undefined;
  /** The internal error that caused the answer, if any. */
  failure: unknown;
}

/**
 * Wraps every request in a server span that joins the caller's trace (W3C Trace Context), measures
 * it, and logs it at level debug.
 */
export function spanRequests(app: FastifyInstance, logger: Pick<Logger, "debug">): void {
  app.decorateRequest("measured", undefined);
  // With a callback, all later hooks and handlers run inside the span's context.
  app.addHook("onRequest", (request, reply, done) => {
    // If the caller disconnects there is no response, and `onRequestAbort` misses those whose body
    // was read.
    reply.raw.once("close", () => finish(request, { reply: undefined, logger }));
    const [measured, inside] = begin(request);
    request.measured = measured;
    context.with(inside, done);
  });
  app.addHook("onError", async (request, _reply, error) => {
    if (request.measured !== undefined) request.measured.failure = error;
  });
  app.addHook("onResponse", async (request, reply) => finish(request, { reply, logger }));
}

const templates = new Map<string, string>();

/** Writes a route as `/v1/messages/{id}`. */
function templateOf(url: string): string {
  let template = templates.get(url);
  if (template === undefined) {
    template = url.replaceAll(/:(\w+)/g, "{$1}");
    templates.set(url, template);
  }
  return template;
}

function begin({ method, headers, routeOptions, protocol }: FastifyRequest): [Measured, Context] {
  const route = routeOptions.url === undefined ? undefined : templateOf(routeOptions.url);
  const { traceparent, tracestate } = headers;
  const parent = extractTrace({
    ...(typeof traceparent === "string" ? { traceparent } : {}),
    ...(typeof tracestate === "string" ? { tracestate } : {}),
  });
  const span = trace.getTracer("posthaste").startSpan(
    route === undefined ? method : `${method} ${route}`,
    {
      kind: SpanKind.SERVER,
      attributes: {
        "http.request.method": method,
        "url.scheme": protocol,
        ...(route === undefined ? {} : { "http.route": route }),
      },
    },
    parent,
  );
  const measured = { span, startedAt: performance.now(), route, failure: undefined };
  return [measured, trace.setSpan(parent, span)];
}

interface Ending {
  /** Undefined if the caller disconnected first. */
  reply: FastifyReply | undefined;
  logger: Pick<Logger, "debug">;
}

function finish(request: FastifyRequest, { reply, logger }: Ending): void {
  const { measured } = request;
  if (measured === undefined) return;
  request.measured = undefined;
  const { span, startedAt, route, failure } = measured;
  const elapsedMs = performance.now() - startedAt;
  const status = reply?.statusCode;
  const attributes = {
    "http.request.method": request.method,
    "http.route": route,
    "http.response.status_code": status,
    "url.scheme": request.protocol,
    "error.type": failureType(status, failure),
  } satisfies SpanAttributes;
  // The hook runs outside of the span, whose ids the measurement needs.
  withContext(
    trace.setSpan(context.active(), span),
    () => recordDuration("http.server.request.duration", elapsedMs / 1000, attributes),
  );
  span.setAttributes(attributes);
  if (attributes["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  logger.debug("Answered a request", {
    method: request.method,
    route,
    status,
    durationMs: elapsedMs,
    requestId: request.id,
  });
}

/** By the semantic conventions, a server's span is an error only from 500 on. */
function failureType(status: number | undefined, failure: unknown): string | undefined {
  if (status === undefined) return "canceled";
  if (status < 500) return undefined;
  return failure === undefined ? String(status) : errorType(failure);
}
