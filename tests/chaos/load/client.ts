// The client of a run, in a process of its own: it makes requests, and keeps the ledger of their answers.
import { Agent, request } from "node:http";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { openJournal } from "../records/journal.ts";
import type { ClientOrder, ClientPlan, ClientReport } from "./client_process.ts";
import type { Api } from "../fixture/pods.ts";
import type { ClientLine } from "../records/records.ts";
import { makeOrders, type Order } from "./orders.ts";
import { openRandom } from "../random.ts";
import { searchFor, type SecretSearch } from "../records/secret.ts";
import { processorWaitMs } from "./processor_wait.ts";

const GIVE_UP_MS = 10_000;
const PAUSE_MS = 150;

let apis: Api[] = [];
let turn = 0;
let stopped = false;
const agent = new Agent({ keepAlive: true });
let search: SecretSearch = () => [];
const totals = { orders: 0, accepted: 0, refused: 0, unanswered: 0 };

process.on("message", (order: ClientOrder) => {
  if (order.type === "apis") apis = order.apis;
  else if (order.type === "stop") stopped = true;
  else void run(order.plan).then(() => report({ type: "done", ...totals }));
});
process.on("disconnect", () => process.exit(0));

async function run(plan: ClientPlan): Promise<void> {
  await using journal = await openJournal<ClientLine>(plan.journal);
  const { run, messages, mix, seed } = plan;
  search = searchFor(plan.secrets);
  const orders = makeOrders({ run, messages, mix, random: openRandom(seed) });
  const mails = orders.reduce((sum, order) => sum + order.mails.length, 0);
  const started = performance.now();
  let asked = 0;
  let next = 0;
  const progress = setInterval(() => report({ type: "progress", ...totals }), 500);
  const connection = async () => {
    while (next < orders.length && !stopped) {
      const order = orders[next++] as Order;
      // Mails are spread evenly over the time of the run, for any size of requests.
      const share = Math.max(0, asked / mails - plan.backlog) / (1 - plan.backlog);
      const due = started + plan.seconds * 1000 * share;
      asked += order.mails.length;
      await delay(Math.max(0, due - performance.now()));
      await place(order, plan, journal);
    }
  };
  await Promise.all(Array.from({ length: plan.connections }, connection));
  // The interface must return to its baseline.
  agent.destroy();
  clearInterval(progress);
}

type Keep = { append(line: ClientLine): Promise<void> };

/** Repeats a request until it has a final answer, as a caller that must lose nothing. */
async function place(order: Order, plan: ClientPlan, journal: Keep): Promise<void> {
  const { key, kind, mails } = order;
  await journal.append({ type: "ask", key, kind, mails, at: Date.now() });
  totals.orders++;
  const body = bodyOf(order, plan);
  if (kind === "duplicate") {
    await Promise.all([0, 1].map(() => ask(order, { plan, body, journal })));
  }
  while (!stopped) {
    const status = await ask(order, { plan, body, journal });
    if (status === 200) totals.accepted += mails.length;
    if (status !== undefined && status !== 429 && status < 500) return;
    if (kind === "abandoned") return;
    await delay(PAUSE_MS);
  }
}

function bodyOf({ kind, mails }: Order, { pdfId, from }: ClientPlan): string {
  return JSON.stringify({
    from: { email: from },
    to: mails.map(({ email, n, pdfs }) => ({
      email,
      // `n` is required: without it nothing of the request may be sent.
      variables: kind === "refused" ? {} : { n },
      ...(pdfs.length === 0 ? {} : {
        attachments: pdfs.map((pdf) => ({
          id: pdfId,
          variables: { of: pdf === "shared" ? "all" : email },
        })),
      }),
    })),
  });
}

interface Asking {
  plan: ClientPlan;
  body: string;
  journal: Keep;
}

/** Makes one request and returns its status; `undefined` without an answer. */
async function ask(order: Order, { plan, body, journal }: Asking): Promise<number | undefined> {
  const { key } = order;
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  try {
    const { status, text, head, retryAfter, withoutProcessorMs } = await post(plan, key, body);
    const leaks = search(`${head}\n${text}`);
    const answer = status === 200 ? JSON.parse(text) : undefined;
    await journal.append({
      type: "answer",
      key,
      at: Date.now(),
      ms: ms(),
      status,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(leaks.length === 0 ? {} : { leaks }),
      ...(answer === undefined
        ? { body: text.slice(0, 300), withoutProcessorMs }
        : { sendId: answer.id, messages: answer.messages }),
    });
    if (status !== 200) totals.refused++;
    return status;
  } catch (error) {
    totals.unanswered++;
    const { code, message } = error as { code?: string; message: string };
    await journal.append({
      type: "no_answer",
      key,
      at: Date.now(),
      ms: ms(),
      reason: code ?? message,
    });
    return undefined;
  }
}

interface Answer {
  status: number;
  text: string;
  /** All headers. */
  head: string;
  retryAfter: string | undefined;
  /** How long the process that answered had no processor meanwhile, in milliseconds. */
  withoutProcessorMs: number;
}

function post(plan: ClientPlan, key: string, body: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const api = apis[turn++ % apis.length];
  if (api === undefined) return Promise.reject(new Error("no server"));
  const waitedBefore = processorWaitMs(api.pid);
  const message = request(`${api.url}${plan.path}`, {
    method: "POST",
    agent,
    timeout: GIVE_UP_MS,
    headers: {
      authorization: `Bearer ${plan.token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "idempotency-key": key,
    },
  }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => text += chunk);
    response.on("error", reject);
    response.on("end", () => {
      const retryAfter = response.headers["retry-after"];
      const head = response.rawHeaders.join("\n");
      const withoutProcessorMs = Math.max(0, Math.floor(processorWaitMs(api.pid) - waitedBefore));
      resolve({ status: response.statusCode ?? 0, text, head, retryAfter, withoutProcessorMs });
    });
  });
  message.on("timeout", () => message.destroy(new Error(`no answer in ${GIVE_UP_MS} ms`)));
  message.on("error", reject);
  message.end(body);
  return promise;
}

function report(line: ClientReport): void {
  process.send?.(line);
}
