import { goodSend, type HttpTarget, openHttpTarget } from "./_http_target.ts";
import { faultOfRefusal } from "./_http_verdict.ts";
import { exchangeRaw, requestText } from "./_raw_http.ts";
import { attackBodies, type AttackBody } from "./http_bodies.ts";
import { fuzzHttp } from "./http_fuzz.ts";
import { attackRequests } from "./http_requests.ts";
import { attackWithSockets } from "./http_sockets.ts";
import type { AttackRow } from "./row.ts";

type Endpoint = "send" | "render";

const ENDPOINTS: readonly Endpoint[] = ["send", "render"];

/** The extent of the attack. */
export interface HttpAttackOptions {
  /** Requests of each property of the fuzz; a tenth of them is held open at the same time, at most 1,000. */
  tries: number;
  seed: number;
  /**
   * Maximum processor time of a body, and maximum wait of others meanwhile, in milliseconds. Everything takes
   * longer on a busy machine. @default {100}
   */
  limitMs?: number;
  /** Whether to run only attacks that take seconds. */
  isShort?: boolean;
  /** The endpoints that get malicious bodies; both have the same defences. @default {both} */
  endpoints?: readonly Endpoint[];
  onProgress?(line: string): void;
}

/**
 * What an attack may leave in use, in bytes: 3 % of the bytes that all bodies have together. What is in RAM
 * would say little: the young generation alone holds up to 192 MB of garbage.
 */
const MAX_LEFT_BYTES = 5_000_000;
/** Maximum peak of an attack, in bytes of RAM, beyond what large valid bodies have needed before. */
const MAX_PEAK_BYTES = 100_000_000;
const MAX_SOCKETS = 1000;
const RATE = 20;
const CONCURRENCY = 16;
const PIPELINED = 50;

/** Attacks the HTTP interface of a real process, over real connections. */
export async function attackHttp(options: HttpAttackOptions): Promise<AttackRow[]> {
  const { tries, seed, limitMs = 100, isShort = false, onProgress = () => {} } = options;
  const { endpoints = ENDPOINTS } = options;
  await using target = await openHttpTarget({ patienceMs: isShort ? 1000 : 4000 });
  const rows: AttackRow[] = [];
  const add = (row: AttackRow) => {
    rows.push(row);
    onProgress(`${row.attack}: ${row.tries} tried, ${row.through} through. ${row.note ?? ""}`);
  };
  await warmUp(target, isShort);
  add(await tryRequests(target));
  add(await tryBodies(target, { limitMs, endpoints }));
  add(await tryRate(target));
  add(await tryPipelines(target, tries));
  const startedAt = performance.now();
  for (const { property, tries: runs, broken } of await fuzzHttp(target, { runs: tries, seed })) {
    add({
      attack: `HTTP fuzz: ${property}`,
      tries: runs,
      through: broken === undefined ? 0 : 1,
      ...(broken === undefined ? {} : { note: broken }),
      seconds: (performance.now() - startedAt) / 1000,
    });
  }
  const sockets = Math.min(MAX_SOCKETS, Math.ceil(tries / 2));
  const socketOptions = { sockets, probeLimitMs: limitMs, isShort };
  for (const result of await attackWithSockets(target, socketOptions)) {
    const { median, longest } = result.probeMs;
    add({
      attack: `HTTP sockets: ${result.name}`,
      tries: result.sockets,
      through: result.faults.length,
      note: `${result.grownMb.toFixed(0)} MB more; others answered in ${median.toFixed(0)} ms, ` +
        `at most ${longest.toFixed(0)} ms. ${result.faults.join("; ")}`.trim(),
      seconds: result.seconds,
    });
  }
  add({
    attack: "HTTP: errors that the service logged",
    tries: 1,
    through: target.errors.length,
    ...(target.errors.length === 0 ? {} : { note: target.errors[0]?.slice(0, 500) ?? "" }),
    seconds: 0,
  });
  return rows;
}

/**
 * Warms the target up: compilation, and the memory of large valid bodies, must not count against an attack.
 */
async function warmUp(target: HttpTarget, isShort: boolean): Promise<void> {
  const { port, account } = target;
  const large = JSON.stringify(goodSend({ variables: { n: "ä".repeat(2_300_000) } }));
  const small = JSON.stringify(goodSend());
  for (let i = 0; i < (isShort ? 20 : 60); i++) {
    const body = i % 2 === 1 ? large : small;
    const bytes = requestText(`POST /v1${account.path} HTTP/1.1`, headersOf(account.token), body);
    const { answers: [answer] } = await exchangeRaw(bytes, { port, lingerMs: 0 });
    if (answer?.status !== 200) {
      throw new Error(`Cannot warm up: ${answer?.status} ${answer?.body}`);
    }
  }
}

function headersOf(token: string, more: readonly string[] = []): string[] {
  return ["Host: x", `Authorization: Bearer ${token}`, "Content-Type: application/json", ...more];
}

async function tryRequests({ port, account }: HttpTarget): Promise<AttackRow> {
  const startedAt = performance.now();
  const { token } = account;
  const body = JSON.stringify(goodSend());
  const requests = attackRequests({ token, path: `/v1${account.path}`, body });
  const faults: string[] = [];
  const waiting = [...requests];
  // A few at a time: some are answered only when the time for a request is over.
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, bytes, mayClose = false } = next;
      const { answers, closed } = await exchangeRaw(bytes, { port });
      if (mayClose && answers.length === 0 && closed) continue;
      const fault = faultOfRefusal(answers[0]) ?? answers.map(faultOfRefusal).find(isDefined);
      if (fault !== undefined) faults.push(`${name}: ${fault}`);
    }
  }));
  return rowOf("HTTP: broken and ambiguous requests", {
    tries: requests.length,
    faults,
    startedAt,
  });
}

async function tryBodies(
  target: HttpTarget,
  { limitMs, endpoints }: { limitMs: number; endpoints: readonly Endpoint[] },
): Promise<AttackRow> {
  const startedAt = performance.now();
  const bodies = attackBodies(goodSend());
  const memory = await openMemoryCheck(target);
  const faults: string[] = [];
  let [tries, slowest] = [0, { name: "", cpuMs: 0 }];
  const answeredMs: number[] = [];
  for (const body of bodies) {
    for (const endpoint of endpoints) {
      if (body.only !== undefined && body.only !== endpoint) continue;
      if (endpoint === "render" && RENDERABLE.has(body.name)) continue;
      tries++;
      const { fault, cpuMs, firstMs } = await tryBody(target, { body, endpoint, limitMs });
      answeredMs.push(firstMs);
      if (fault !== undefined) faults.push(`${body.name} (${endpoint}): ${fault}`);
      if (cpuMs > slowest.cpuMs) slowest = { name: body.name, cpuMs };
    }
  }
  const memoryNote = await memory.end(faults);
  const note = `${memoryNote}; at most ${slowest.cpuMs} ms of a processor (${slowest.name}); ` +
    `answered after at most ${Math.max(...answeredMs).toFixed(0)} ms`;
  return rowOf("HTTP: malicious bodies", { tries, faults, startedAt, note });
}

/** Bodies that are valid requests to render, which are objects of variables. */
const RENDERABLE = new Set([
  "33 deep in a variable",
  "1,000 recipients with 60 unknown fields",
  "5 objects of 10,000 keys",
]);

interface BodyTry {
  body: AttackBody;
  endpoint: "send" | "render";
  limitMs: number;
}

async function tryBody(
  target: HttpTarget,
  { body, endpoint, limitMs }: BodyTry,
): Promise<{ fault: string | undefined; cpuMs: number; firstMs: number }> {
  const { port, account } = target;
  const path = endpoint === "send" ? account.path : "/templates/chaos/render";
  const line = `POST /v1${path} HTTP/1.1`;
  const bytes = requestText(line, headersOf(account.token, body.headers), body.make());
  let [cpuMs, firstMs] = [Infinity, Infinity];
  // The best of five, because the load of the machine must not count against the request.
  for (let i = 0; i < 5 && cpuMs > limitMs; i++) {
    const before = await target.cpuMs();
    const exchange = await exchangeRaw(bytes, { port, lingerMs: 0 });
    cpuMs = Math.min(cpuMs, await target.cpuMs() - before);
    firstMs = Math.min(firstMs, exchange.firstMs);
    const fault = faultOfRefusal(exchange.answers[0]);
    if (fault !== undefined) return { fault, cpuMs, firstMs };
  }
  const fault = cpuMs > limitMs ? `${cpuMs} ms of a processor` : undefined;
  return { fault, cpuMs, firstMs };
}

/** Tries to exceed a token's limit, and checks the answers about it. */
async function tryRate({ account, bystander, startApi }: HttpTarget): Promise<AttackRow> {
  const startedAt = performance.now();
  const port = await startApi({ RATE_LIMIT: String(RATE), RATE_WINDOW: "1h" });
  const tries = 5 * RATE;
  const ask = ({ token, path }: { token: string; path: string }, number: number) =>
    exchangeRaw(
      requestText(`POST /v1${path} HTTP/1.1`, [
        ...headersOf(token),
        // No header makes a caller another one.
        `X-Forwarded-For: 10.0.0.${number}`,
        `X-Request-Id: ${number}`,
      ], number % 2 === 0 ? JSON.stringify(goodSend()) : "{"),
      { port, lingerMs: 0 },
    );
  const asked = await Promise.all(Array.from({ length: tries }, (_, n) => ask(account, n)));
  const answers = asked.flatMap(({ answers }) => answers);
  const refused = answers.filter(({ status }) => status === 429);
  const faults: string[] = [];
  if (answers.length - refused.length !== RATE) {
    faults.push(`${answers.length - refused.length} were taken`);
  }
  for (const { headers } of refused) {
    const isReported = headers["ratelimit-policy"] === `"token";q=${RATE};w=3600` &&
      /^"token";r=0;t=\d+$/.test(headers["ratelimit"] ?? "") && Number(headers["retry-after"]) > 0;
    if (!isReported) faults.push("a refusal does not report the limit");
  }
  const { answers: [other] } = await ask(bystander, 0);
  if (other?.status !== 200) faults.push(`another token got ${other?.status}`);
  return rowOf("HTTP: more requests than a token has", { tries, faults, startedAt });
}

/** Checks pipelines: requests up to the limit are answered in order; more end the connection. */
async function tryPipelines(
  target: HttpTarget,
  tries: number,
): Promise<AttackRow> {
  const startedAt = performance.now();
  const { port, account: { token } } = target;
  const asks = Array.from(
    { length: 20 * PIPELINED },
    (_, n) => requestText("GET /v1/sends/x HTTP/1.1", [...headersOf(token), `X-Request-Id: ${n}`]),
  );
  const faults: string[] = [];
  const few = Buffer.concat(asks.slice(0, PIPELINED));
  const many = Buffer.concat(asks);
  const memory = await openMemoryCheck(target);
  for (let n = 0; n < Math.max(4, tries / PIPELINED); n++) {
    const [good, flood] = await Promise.all([
      exchangeRaw(few, { port, expect: PIPELINED, lingerMs: 0 }),
      exchangeRaw(many, { port, expect: Infinity }),
    ]);
    const isInOrder = good.answers.every(({ headers }, n) => headers["x-request-id"] === String(n));
    if (good.answers.length !== PIPELINED || !isInOrder) {
      faults.push(`${good.answers.length} of ${PIPELINED} answers`);
    }
    if (!flood.closed) faults.push("a flood was borne");
  }
  // Bytes that are not HTTP behind an unanswered request must not be answered first.
  const mixed = Buffer.concat([asks[0] ?? Buffer.alloc(0), Buffer.from("\u{0}\r\n\r\n")]);
  const { answers } = await exchangeRaw(mixed, { port });
  if (answers[0] !== undefined && answers[0].headers["x-request-id"] !== "0") {
    faults.push("what came second was answered first");
  }
  const note = await memory.end(faults);
  return rowOf("HTTP: pipelines", {
    tries: Math.ceil(Math.max(4, tries / PIPELINED)) * 21 * PIPELINED + 1,
    ...{ faults, startedAt, note },
  });
}

/** Checks what an attack leaves in memory, and its peak. */
async function openMemoryCheck(target: HttpTarget) {
  const [used, peak] = [await target.liveBytes(), await target.peakBytes()];
  return {
    /** Adds to the faults, and returns a note. */
    async end(faults: string[]): Promise<string> {
      const higher = await target.peakBytes() - peak;
      const left = await target.liveBytes() - used;
      if (higher > MAX_PEAK_BYTES) faults.push(`${mb(higher)} MB more at the peak`);
      if (left > MAX_LEFT_BYTES) faults.push(`${mb(left)} MB left in use`);
      return `${mb(higher)} MB more at the peak, ${mb(left)} MB left in use`;
    },
  };
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

interface Tried {
  tries: number;
  faults: string[];
  startedAt: number;
  note?: string;
}

function rowOf(attack: string, { tries, faults, startedAt, note = "" }: Tried): AttackRow {
  const all = [note, ...faults.slice(0, 20)].filter((text) => text !== "").join("; ");
  return {
    attack,
    tries,
    through: faults.length,
    ...(all === "" ? {} : { note: all }),
    seconds: (performance.now() - startedAt) / 1000,
  };
}
