import type { IncomingMessage } from "node:http";
import { HttpError } from "./http_error.ts";

/** The most header fields of a request. */
export const MAX_HEADERS = 100;

/** Fields that must occur once. Of two, a proxy may read one and this service the other. */
const ONCE = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "transfer-encoding",
]);

/** The parts of a request to check. */
export interface RequestHead
  extends Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersion"> {
  /** The connection. */
  socket: object;
}

/** Later requests on these connections may come from another sender than the refused one. */
const distrusted = new WeakSet<object>();

/** Makes {@linkcode headerFault} refuse all further requests on a connection. */
export function distrust(socket: object): void {
  distrusted.add(socket);
}

/**
 * Finds a fault in the header fields that the parser accepted: too many fields, or fields by which an
 * intermediary may read a different request (request smuggling). After a fault, all further requests on the
 * same connection are refused.
 */
export function headerFault(head: RequestHead): HttpError | undefined {
  const fault = distrusted.has(head.socket)
    ? invalid("an earlier request on this connection was not valid")
    : findFault(head);
  if (fault !== undefined) distrust(head.socket);
  return fault;
}

function findFault({ rawHeaders, headers, httpVersion }: RequestHead): HttpError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return new HttpError(
      "headers_too_large",
      `Cannot read the request: it has more than ${MAX_HEADERS} header fields`,
      { close: true },
    );
  }
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) return invalid(`the header "${name}" appears twice`);
    seen.add(name);
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    return invalid("the only supported transfer coding is chunked");
  }
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return invalid("it is not HTTP/1.1");
  if (headers.host === undefined && httpVersion !== "1.0") {
    return invalid('the header "host" is missing');
  }
  return undefined;
}

function invalid(reason: string): HttpError {
  return new HttpError("invalid_request", `Cannot read the request: ${reason}`, { close: true });
}
