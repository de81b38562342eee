import { Agent, request } from "node:http";

/** Where a request goes. */
export interface HttpTarget {
  url: string;
  headers?: Record<string, string>;
}

/** Requests to make. */
export interface HttpLoad {
  /** Returns where a request goes, by its number and that of its connection. */
  to(index: number, connection: number): HttpTarget;
  /** Returns the body of a request, by its number. */
  body(index: number): string;
  requests: number;
  /** Connections, each with one request at a time. */
  connections: number;
}

/** How the requests went. */
export interface LoadResult {
  /** Of all requests together, in milliseconds. */
  durationMs: number;
  /** Of each request, in milliseconds. */
  latencies: number[];
}

/**
 * Makes POST requests over connections that are kept open.
 *
 * @throws {Error} If one is not answered with 200.
 */
export async function postAll(load: HttpLoad): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const latencies: number[] = [];
  let next = 0;
  const started = performance.now();
  const client = async (connection: number) => {
    while (next < load.requests) {
      const index = next++;
      const body = load.body(index);
      const sent = performance.now();
      await post({ ...load.to(index, connection), body, agent });
      latencies.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(Array.from({ length: load.connections }, (_, number) => client(number)));
    return { durationMs: performance.now() - started, latencies };
  } finally {
    agent.destroy();
  }
}

function post(
  { url, headers, body, agent }: HttpTarget & { body: string; agent: Agent },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const message = request(url, {
    method: "POST",
    agent,
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  }, (response) => {
    let answer = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => answer += chunk);
    response.on("error", reject);
    response.on("end", () => {
      if (response.statusCode === 200) return resolve();
      reject(new Error(`Cannot measure: ${url} answered ${response.statusCode}: ${answer}`));
    });
  });
  message.on("error", reject);
  message.end(body);
  return promise;
}
