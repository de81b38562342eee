import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { goodSend, type HttpTarget } from "./_http_target.ts";
import { exchangeRaw, openSocket, requestText } from "./_raw_http.ts";

/** The result of many concurrent connections. */
export interface SocketAttack {
  name: string;
  sockets: number;
  /** The faults; empty if there were none. */
  faults: string[];
  /** Maximum growth of the service's memory, in MB. */
  grownMb: number;
  /** Time that another account's request took meanwhile: the middle and the longest, in milliseconds. */
  probeMs: { median: number; longest: number };
  seconds: number;
}

interface Kind {
  name: string;
  /** The text of each connection, beginning with none. */
  attack(socket: Socket, target: HttpTarget): void;
  /** Answers that a connection may have got when it is closed. */
  allowed: RegExp;
  /** Fewer connections suffice: each of them sends much. */
  most?: number;
  /** Left out of short runs. */
  isLong?: boolean;
}

const MAX_GROWTH = 50;

/** Their answers exceed the buffers of two sockets, some megabytes each. */
const ASKED = 30_000;

const KINDS: Kind[] = [
  {
    name: "headers that never end",
    attack(socket) {
      socket.write("POST /v1/templates/1/send/1 HTTP/1.1\r\nHost: x\r\n");
      drip(socket, "X-A: b\r\n");
    },
    allowed: /^408$/,
  },
  {
    name: "bodies that never end, without a token",
    attack(socket, { account: { path } }) {
      socket.write(head(path, ["Authorization: Bearer ph_wrong", "Content-Length: 5000000"]));
      socket.write(Buffer.alloc(300_000, 32));
      drip(socket, " ");
    },
    allowed: /^401(,408)?$/,
    isLong: true,
  },
  {
    name: "bodies that never end, to nowhere",
    attack(socket) {
      socket.write(head("/nowhere", ["Content-Length: 5000000"]));
      socket.write(Buffer.alloc(300_000, 32));
      drip(socket, " ");
    },
    allowed: /^404(,408)?$/,
    isLong: true,
  },
  {
    name: "bodies that never end, of one account",
    attack(socket, { account: { path, token } }) {
      socket.write(head(path, [`Authorization: Bearer ${token}`, "Content-Length: 5000000"]));
      socket.write(Buffer.alloc(300_000, 32));
      drip(socket, " ");
    },
    allowed: /^(408|429|429,408)$/,
  },
  {
    name: "answers that nobody reads",
    attack(socket, { account: { token } }) {
      socket.pause();
      const ask = requestText("GET /v1/sends/x HTTP/1.1", [
        "Host: x",
        `Authorization: Bearer ${token}`,
      ]);
      socket.write(Buffer.concat(Array(ASKED).fill(ask)));
    },
    allowed: /^((404|400|408),?)*$/,
    most: 2,
  },
];

function head(path: string, headers: string[]): Buffer {
  const all = ["Host: x", "Content-Type: application/json", ...headers];
  return requestText(`POST /v1${path} HTTP/1.1`, all);
}

/** Sends a little text repeatedly, so that the connection is not idle. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => void (socket.writable && socket.write(text)), 500);
  socket.once("close", () => clearInterval(timer));
}

/** The extent of the attack. */
export interface SocketOptions {
  sockets: number;
  /**
   * Median time that another account's request may take, in milliseconds; on a machine where it takes more
   * than a tenth of that anyway, ten times what it takes alone.
   */
  probeLimitMs: number;
  isShort: boolean;
}

/** Holds many connections of each kind at the same time, and checks them and another account's requests. */
export async function attackWithSockets(
  target: HttpTarget,
  options: SocketOptions,
): Promise<SocketAttack[]> {
  const results: SocketAttack[] = [];
  for (const kind of KINDS) {
    if (options.isShort && kind.isLong) continue;
    const sockets = Math.min(options.sockets, kind.most ?? Infinity);
    results.push(await hold(target, { kind, ...options, sockets }));
  }
  return results;
}

async function hold(
  target: HttpTarget,
  { kind, sockets, probeLimitMs }: SocketOptions & { kind: Kind },
): Promise<SocketAttack> {
  const alone = await probeAlone(target);
  const startedAt = performance.now();
  const before = await target.rss();
  const ended = new Map<string, number>();
  const open = new Set<Socket>();
  for (let i = 0; i < sockets; i++) {
    const socket = openSocket(target.port);
    open.add(socket);
    let data = "";
    socket.on("data", (chunk) => data += chunk);
    socket.on("close", () => {
      open.delete(socket);
      const statuses = [...data.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
      const what = statuses.join(",");
      ended.set(what, (ended.get(what) ?? 0) + 1);
    });
    kind.attack(socket, target);
    // All at the same time would be a flood of connections, which is another attack.
    if (i % 50 === 49) await delay(1);
  }
  let highest = before;
  const probes: number[] = [];
  const faults: string[] = [];
  const until = performance.now() + 2 * target.patienceMs + 2000;
  while (performance.now() < until && (open.size > 0 || probes.length < 20)) {
    const probe = await exchangeRaw(probeOf(target), { port: target.port, lingerMs: 0 });
    if (probe.answers[0]?.status !== 200) {
      faults.push(`a bystander got ${probe.answers[0]?.status}`);
    }
    probes.push(probe.firstMs);
    highest = Math.max(highest, await target.rss());
    // A client that reads nothing does not see the end either.
    if (kind.name.startsWith("answers") && performance.now() > until - target.patienceMs) {
      for (const socket of open) socket.resume();
    }
    await delay(50);
  }
  if (open.size > 0) faults.push(`${open.size} connections are still open`);
  for (const socket of open) socket.destroy();
  for (const [what, count] of ended) {
    if (what !== "" && !kind.allowed.test(what)) faults.push(`${count} got ${what.slice(0, 60)}`);
  }
  const grownMb = (highest - before) / 1e6;
  if (grownMb > MAX_GROWTH) faults.push(`${grownMb.toFixed(0)} MB more memory`);
  const median = medianOf(probes);
  if (median > Math.max(probeLimitMs, SLOWER * alone)) {
    faults.push(`a bystander waited ${median.toFixed(0)} ms`);
  }
  return {
    name: kind.name,
    sockets,
    faults,
    grownMb,
    probeMs: { median, longest: Math.max(...probes) },
    seconds: (performance.now() - startedAt) / 1000,
  };
}

const SLOWER = 10;
const PROBES_ALONE = 10;

/** Returns the median time of another account's request while nobody attacks, in milliseconds. */
async function probeAlone(target: HttpTarget): Promise<number> {
  const probes: number[] = [];
  while (probes.length < PROBES_ALONE) {
    probes.push((await exchangeRaw(probeOf(target), { port: target.port, lingerMs: 0 })).firstMs);
  }
  return medianOf(probes);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity;
}

function probeOf({ bystander: { path, token } }: HttpTarget): Buffer {
  const headers = ["Host: x", `Authorization: Bearer ${token}`, "Content-Type: application/json"];
  return requestText(`POST /v1${path} HTTP/1.1`, headers, JSON.stringify(goodSend()));
}
