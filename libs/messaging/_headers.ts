import { headers, type MsgHdrs } from "@nats-io/nats-core";
import { injectTrace, type TraceCarrier } from "@posthaste/telemetry";

/** Header with the inbox for the answer. */
export const REPLY_HEADER = "Posthaste-Reply";

/** Header with the number of bytes at the end of an event that are its tail, not JSON. */
export const TAIL_HEADER = "Posthaste-Tail-Bytes";

/** Returns the headers of an event that is published inside the current trace (W3C Trace Context). */
export function traceHeaders(trace: TraceCarrier = injectTrace()): MsgHdrs {
  const result = headers();
  if (trace.traceparent) result.set("traceparent", trace.traceparent);
  if (trace.tracestate) result.set("tracestate", trace.tracestate);
  return result;
}

/** Reads the trace that an event came in. */
export function readTrace(found: MsgHdrs | undefined): TraceCarrier {
  const traceparent = found?.get("traceparent");
  const tracestate = found?.get("tracestate");
  return { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) };
}
