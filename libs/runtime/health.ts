import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerWithin } from "./answer_within.ts";

/** Resolves while a dependency works; rejects or returns `false` otherwise. */
export type HealthCheck = () => unknown | Promise<unknown>;

/** Settings of {@linkcode openHealth}. */
export interface HealthOptions {
  /** Port to listen on; 0 is any free one. Without a port there is no server. */
  port?: number;
  /** `0.0.0.0` when left out. */
  host?: string;
  /** Checks by name; more by `add`. */
  checks?: Record<string, HealthCheck>;
  /** Once aborted, the process counts as not ready. */
  signal?: AbortSignal;
  /** Answers `/metrics`, by the `Accept` header; without it there is no such page. */
  readMetrics?: ((accept: string | undefined) => Promise<Page>) | undefined;
}

/** What a page says. */
export interface Page {
  contentType: string;
  body: string;
}

/** Answers the questions of an orchestrator over HTTP. */
export interface Health extends AsyncDisposable {
  /** The port that it listens on, if it does. */
  readonly port: number | undefined;
  /** Adds a check to readiness, or replaces the one of that name. */
  add(name: string, check: HealthCheck): void;
  /** Runs all checks and returns the failures, by name. */
  ask(): Promise<Readiness>;
}

/** Whether a process can take work. */
export interface Readiness {
  /** `starting` while there is no check. */
  status: "ready" | "starting" | "stopping" | "failing";
  /** Why each failing check fails. */
  failing: Record<string, string>;
}

const CHECK_TIMEOUT = 2000;
const FRESH_FOR = 1000;

/**
 * Opens the health server: `/livez` is 200 while the event loop runs, `/readyz` is 200 while every check
 * passes, and `/metrics` is for Prometheus. A check may take 2 s. Its result is reused for 1 s, for any
 * number of requests.
 */
export async function openHealth(options: HealthOptions = {}): Promise<Health> {
  const { port, host = "0.0.0.0", checks = {}, signal, readMetrics } = options;
  const board = new Board(checks, signal);
  const server = createServer(async (request, response) => {
    const path = request.url?.split("?")[0];
    if (path === "/livez") return answer(response, 200, { status: "alive" });
    if (path === "/metrics" && readMetrics !== undefined) {
      return await answerPage(response, () => readMetrics(request.headers.accept));
    }
    if (path !== "/readyz") return answer(response, 404, { status: "not found" });
    const readiness = await board.ask();
    answer(response, readiness.status === "ready" ? 200 : 503, readiness);
  });
  if (port !== undefined) await once(server.listen(port, host), "listening");
  const address = server.address() as AddressInfo | null;
  return {
    port: address?.port,
    add: (name, check) => board.add(name, check),
    ask: () => board.ask(),
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Answer {
  at: number;
  failure: Promise<string | undefined>;
}

class Board {
  readonly #checks: Map<string, HealthCheck>;
  readonly #answers = new Map<string, Answer>();
  readonly #signal: AbortSignal | undefined;

  constructor(checks: Record<string, HealthCheck>, signal: AbortSignal | undefined) {
    this.#checks = new Map(Object.entries(checks));
    this.#signal = signal;
  }

  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
    this.#answers.delete(name);
  }

  async ask(): Promise<Readiness> {
    if (this.#signal?.aborted) return { status: "stopping", failing: {} };
    if (this.#checks.size === 0) return { status: "starting", failing: {} };
    const failing: Record<string, string> = {};
    await Promise.all([...this.#checks].map(async ([name, check]) => {
      const failure = await this.#askOne(name, check);
      if (failure !== undefined) failing[name] = failure;
    }));
    return { status: Object.keys(failing).length === 0 ? "ready" : "failing", failing };
  }

  #askOne(name: string, check: HealthCheck): Promise<string | undefined> {
    const known = this.#answers.get(name);
    if (known !== undefined && performance.now() - known.at < FRESH_FOR) return known.failure;
    const failure = failureOf(check);
    this.#answers.set(name, { at: performance.now(), failure });
    return failure;
  }
}

async function failureOf(check: HealthCheck): Promise<string | undefined> {
  try {
    const passed = await answerWithin(CHECK_TIMEOUT, check());
    return passed === false ? "the check failed" : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function answerPage(response: ServerResponse, read: () => Promise<Page>): Promise<void> {
  try {
    const { contentType, body } = await read();
    response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(body);
  } catch {
    answer(response, 503, { status: "the metrics cannot be read" });
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
  }).end(JSON.stringify(body));
}
