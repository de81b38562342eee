import { headers, type MsgHdrs } from "@nats-io/nats-core";
import { injectTrace, type TraceCarrier } from "@posthaste/telemetry";

/** Header that names the inbox of anyone who waits for the answer. */
export const REPLY_HEADER = "Posthaste-Reply";

/** Header that says how many bytes at the end of an event are its tail, and no JSON. */
export const TAIL_HEADER = "Posthaste-Tail-Bytes";

/** Makes the headers of an event that leaves inside the current trace (W3C Trace Context). */
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
