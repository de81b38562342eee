import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { STATUS_CODES } from "node:http";
import { DATA_HEADERS } from "./data_headers.ts";
import { type EdgeErrors, type ErrorAnswer, errorAnswer } from "./edge_errors.ts";
import { distrust } from "./header_fault.ts";
import { type CommonErrorCode, HttpError } from "./http_error.ts";

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

const inFlight = new WeakMap<Socket, Set<Exchange>>();

/** The most unanswered requests of one connection. */
export const MAX_UNANSWERED = 64;

/**
 * Tracks the pending answers of a server's connections. A connection with more than {@linkcode
 * MAX_UNANSWERED} unanswered requests is closed: each of them takes memory.
 */
export function followExchanges(server: Server): void {
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const exchanges = inFlight.get(request.socket) ?? new Set();
    const exchange = { request, response };
    exchanges.add(exchange);
    if (exchanges.size > MAX_UNANSWERED) {
      distrust(request.socket);
      request.socket.destroy();
    }
    inFlight.set(request.socket, exchanges);
    response.once("close", () => exchanges.delete(exchange));
  });
}

/** Answers to errors that occur before there is a request for a route or an error handler. */
export interface ConnectionErrors {
  /** Answers a request that is not valid HTTP, or arrived too slowly, and closes the connection. */
  answer(error: Error & { code?: string }, socket: Socket): void;
  /** Refuses the request for a tunnel. */
  refuseTunnel(request: IncomingMessage, socket: Socket): void;
}

/** Returns the answers of an edge to errors of connections. */
export function connectionErrors<Code extends string>(errors: EdgeErrors<Code>): ConnectionErrors {
  const end = (socket: Socket, code: CommonErrorCode, message: string) =>
    endWith(socket, errorAnswer(new HttpError(code, message), errors));
  return {
    answer(error, socket) {
      if (error.code === "ECONNRESET" || socket.destroyed) return;
      // The client would mistake the answer for that of an earlier request, or the reverse.
      if (!socket.writable || !isNext(socket)) {
        socket.destroy();
        return;
      }
      const [code, reason] = describeConnectionError(error.code);
      end(socket, code, `Cannot read the request: ${reason}`);
    },
    refuseTunnel: (_request, socket) =>
      end(socket, "method_not_allowed", "Cannot CONNECT: this server is not a proxy"),
  };
}

function describeConnectionError(code: string | undefined): [CommonErrorCode, string] {
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

/** Returns whether the next written answer belongs to the last request that was read. */
function isNext(socket: Socket): boolean {
  const [first, ...others] = inFlight.get(socket) ?? [];
  if (first === undefined) return true;
  return others.length === 0 && !first.request.complete && !first.response.headersSent;
}

function endWith(socket: Socket, { status, body }: ErrorAnswer): void {
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
