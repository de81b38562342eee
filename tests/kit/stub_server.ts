import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** One request that came. */
export interface Seen {
  route: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An answer; without one, the test answers itself. */
export type StubAnswer = { status: number; body?: unknown; headers?: Record<string, string> };

/** Opens a server that answers as a test wants; `count` is 1 for the first request. */
export async function openStubServer(
  answer: (count: number, to: { seen: Seen; response: ServerResponse }) => StubAnswer | undefined,
) {
  const all: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const seen = { route: `${method} ${url}`, headers, body: await text(request) };
    all.push(seen);
    const given = answer(all.length, { seen, response });
    if (given === undefined) return;
    response.writeHead(given.status, given.headers);
    response.end(typeof given.body === "string" ? given.body : JSON.stringify(given.body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: all,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
