import { DATA_HEADERS } from "@posthaste/http";
import type { FastifyReply } from "fastify";

/** A stream of server-sent events to a browser. */
export interface EventStream {
  /** Sends an event. A browser that does not read is disconnected. */
  send(event: string, data: unknown): void;
  /** Sends an empty comment line, which keeps the connection open. */
  beat(): void;
  end(): void;
  /** Calls back when either side has ended the stream. */
  onEnd(callback: () => void): void;
}

const MAX_UNREAD_BYTES = 1_000_000;

/** Answers a request with server-sent events (HTML, 9.2). */
export function openEventStream(reply: FastifyReply): EventStream {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(200, {
    ...DATA_HEADERS,
    "content-type": "text/event-stream",
    // Proxies such as nginx would buffer events.
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  const write = (text: string) => {
    if (raw.writableLength > MAX_UNREAD_BYTES) raw.destroy();
    else if (!raw.writableEnded) raw.write(text);
  };
  return {
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    beat: () => write(":\n\n"),
    end: () => void raw.end(),
    onEnd: (callback) => void raw.once("close", callback),
  };
}
