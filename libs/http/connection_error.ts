import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from "@posthaste/contracts";
import { DATA_HEADERS } from "@posthaste/runtime";
import { STATUS_CODES } from "node:http";
import { distrust } from "./header_fault.ts";

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

const inHand = new WeakMap<Socket, Set<Exchange>>();

/** The most requests of one connection that wait for their answers. */
export const MAX_UNANSWERED = 64;

/**
 * Keeps in mind which answers of a server's connections are still to come. A connection on which more
 * than {@linkcode MAX_UNANSWERED} requests wait is closed: anyone who asks ten thousand things in one
 * breath would be kept in mind with all of them.
 */
export function followExchanges(server: Server): void {
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const exchanges = inHand.get(request.socket) ?? new Set();
    const exchange = { request, response };
    exchanges.add(exchange);
    if (exchanges.size > MAX_UNANSWERED) {
      distrust(request.socket);
      request.socket.destroy();
    }
    inHand.set(request.socket, exchanges);
    response.once("close", () => exchanges.delete(exchange));
  });
}

/**
 * Answers what is not valid HTTP, or came too slowly, and closes the connection. There is no request
 * yet that a route or an error handler could answer.
 */
export function answerConnectionError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  // An earlier request's answer would be taken for this one, or this for the earlier one's.
  if (!socket.writable || !isNext(socket)) {
    socket.destroy();
    return;
  }
  const [code, reason] = sayConnectionError(error.code);
  endWith(socket, code, `Cannot read the request: ${reason}`);
}

/** Answers the wish for a tunnel. */
export function refuseTunnel(_request: IncomingMessage, socket: Socket): void {
  endWith(socket, "method_not_allowed", "Cannot CONNECT: this server is not a proxy");
}

function sayConnectionError(code: string | undefined): [ErrorCode, string] {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return ["request_timeout", "it did not arrive in time"];
    case "HPE_HEADER_OVERFLOW":
      return ["headers_too_large", "its header is too large"];
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return ["payload_too_large", "its chunk extensions are too large"];
    default:
      return ["invalid_request", "it is not valid HTTP"];
  }
}

/** Returns whether what is written now is the answer to what was read last. */
function isNext(socket: Socket): boolean {
  const [first, ...others] = inHand.get(socket) ?? [];
  if (first === undefined) return true;
  return others.length === 0 && !first.request.complete && !first.response.headersSent;
}

function endWith(socket: Socket, code: ErrorCode, error: string): void {
  const status = ERROR_STATUS[code];
  const body: ErrorBody = { error, code };
  const text = JSON.stringify(body);
  const headers = Object.entries(DATA_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      "Content-Type: application/json; charset=utf-8\r\n" +
      headers.join("") +
      `Content-Length: ${Buffer.byteLength(text)}\r\n` +
      `Connection: close\r\n\r\n${text}`,
  );
}
