import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { runCli } from "./_run_cli.ts";

/** A request that the stub received. */
export interface Seen {
  route: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Returns the answer to a request, which is the `count`-th. */
export type Answer = (
  seen: Seen,
  count: number,
) => [status: number, body: unknown, headers?: Record<string, string>];

/** Opens an interface with the answers of a test. */
export async function openStub(answer: Answer) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const one = { route: `${method} ${url}`, headers, body: await text(request) };
    seen.push(one);
    const [status, body, more = {}] = answer(one, seen.length);
    response.writeHead(status, { "content-type": "application/json", ...more });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "posthaste-http-"));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    seen,
    folder,
    run: (args: string, stdin?: string, runIt = runCli) =>
      runIt(args.split(" "), {
        env: { POSTHASTE_URL: url, POSTHASTE_TOKEN: "ph_test" },
        cwd: folder,
        stdin,
      }),
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections();
      await rm(folder, { recursive: true });
    },
  };
}
