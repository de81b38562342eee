import type { Socket } from "node:net";
import type { ErrorBody } from "@posthaste/contracts";

/**
 * Answers what is not valid HTTP, or came too slowly, and closes the connection. There is no request
 * yet that a route or an error handler could answer.
 */
export function answerConnectionError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const reason = error.code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? "it did not arrive in time"
    : "it is not valid HTTP";
  const body: ErrorBody = {
    error: `Cannot read the request: ${reason}`,
    code: "invalid_request",
  };
  const text = JSON.stringify(body);
  socket.end(
    "HTTP/1.1 400 Bad Request\r\n" +
      "Content-Type: application/json; charset=utf-8\r\n" +
      "Cache-Control: no-store\r\n" +
      `Content-Length: ${Buffer.byteLength(text)}\r\n` +
      `Connection: close\r\n\r\n${text}`,
  );
}
