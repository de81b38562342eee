import { headers, type MsgHdrs } from "@nats-io/nats-core";
import { injectTrace, type TraceCarrier } from "@posthaste/telemetry";

/** Header with the inbox for the answer. */
export const REPLY_HEADER = "Posthaste-Reply";

/** Header with the number of bytes at the end of an event that are its tail, not JSON. */
export const TAIL_HEADER = "Posthaste-Tail-Bytes";

/** Header with the other traces that an event belongs to: their `traceparent`, separated by spaces. */
const LINKS_HEADER = "Posthaste-Links";

/** Returns the headers of an event that is published inside the current trace (W3C Trace Context). */
export function traceHeaders(
  trace: TraceCarrier = injectTrace(),
  links: readonly TraceCarrier[] = [],
): MsgHdrs {
  const result = headers();
  if (trace.traceparent) result.set("traceparent", trace.traceparent);
  if (trace.tracestate) result.set("tracestate", trace.tracestate);
  const linked = links.flatMap(({ traceparent }) => traceparent ?? []);
  if (linked.length > 0) result.set(LINKS_HEADER, linked.join(" "));
  return result;
}

/** Reads the other traces that an event belongs to. */
export function readLinks(found: MsgHdrs | undefined): TraceCarrier[] {
  const linked = found?.get(LINKS_HEADER).split(" ") ?? [];
  return linked.filter((text) => text !== "").map((traceparent) => ({ traceparent }));
}

/** Reads the trace that an event came in. */
export function readTrace(found: MsgHdrs | undefined): TraceCarrier {
  const traceparent = found?.get("traceparent");
  const tracestate = found?.get("tracestate");
  return { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) };
}
