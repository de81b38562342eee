/** The numbers of one load, at every place that shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { MessageState } from "@posthaste/contracts";
import { openSmtpSink, until } from "@posthaste/kit";
import { type Person, signIn } from "./dashboard/person.ts";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";
import type { SendView } from "./system.ts";

/** What becomes of the messages, by the domain of their addresses. */
const LOAD = { sent: 5, failed: 3, suppressed: 2, canceled: 4 } as const;

type Outcome = keyof typeof LOAD;

const OUTCOMES = Object.keys(LOAD) as Outcome[];
const TOTAL = Object.values(LOAD).reduce((sum, count) => sum + count, 0);

test("overview, list, integration, HTTP interface and events count the same messages", async () => {
  await using sink = await openSmtpSink({
    script: ({ stage, address }) =>
      stage === "rcpt" && address.includes("@failed.")
        ? { reply: "550 5.7.1 Refused by policy" }
        : undefined,
  });
  await using system = await joinSystem();
  const { accountId } = system;
  const { token } = await system.store.tokens.create({
    ...{ accountId, name: "numbers", scopes: ["list", "manage:messages"] },
  });
  const from = new Date(Date.now() - 1_000).toISOString();
  const viewer = await signIn(system, { accountId, role: "viewer", name: "Nora Numbers" });
  const integration = await system.connect(sink.port);
  const other = await system.connect(sink.port, { name: "Unused" });
  const template = await system.publishEmail({ subject: "Hi", html: "<p>Hi</p>" });
  await system.store.suppressions.add(
    accountId,
    addressesOf("suppressed").map((email) => ({ email, reason: "manual", at: new Date() })),
    { max: 100 },
  );

  const order = (outcomes: Outcome[]) => ({
    ...{ template, integration },
    to: outcomes.flatMap(addressesOf).map((email) => ({ email })),
  });
  const { id: now } = await system.send(order(["sent", "failed", "suppressed"]));
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const { id: later } = await system.send({ ...order(["canceled"]), sendAt });
  const canceled = await system.post(`/sends/${later}/cancel`, {}, { token });
  assert.deepEqual(canceled.body, { canceled: LOAD.canceled, tooLate: 0 });
  const sends = await Promise.all([now, later].map((id) => system.untilDone(id)));

  assert.deepEqual(sumOf(sends), LOAD);
  assert.deepEqual(await countByInterface(system, { token, from }), LOAD);
  assert.deepEqual(await countByList(viewer, { integration, from }), LOAD);
  const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
  assert.deepEqual(await countByList(viewer, { integration: other, from }), none);
  // Events and statistics follow the outcomes.
  await untilEqual(() => countByEvents(system, token), LOAD);
  await untilEqual(() => countByOverview(viewer), {
    ...{ accepted: TOTAL, sent: LOAD.sent, failed: LOAD.failed, deferred: 0, unknown: 0 },
  });
  await untilEqual(() => countLive(viewer, system), {
    failed: LOAD.failed,
    unknown: 0,
    deferred: 0,
  });
  // No attempt was made for the others.
  await untilEqual(() => countByIntegration(viewer, integration), {
    ...{ attempts: LOAD.sent + LOAD.failed, sent: LOAD.sent },
  });
  await untilEqual(() => countByIntegration(viewer, other), { attempts: 0, sent: 0 });
});

function addressesOf(outcome: Outcome): string[] {
  return Array.from({ length: LOAD[outcome] }, (_, index) => `n${index}@${outcome}.example`);
}

async function untilEqual<T>(count: () => Promise<T>, wanted: NoInfer<T>): Promise<void> {
  let counted: T | undefined;
  const isEqual = async () => {
    counted = await count();
    return isDeepStrictEqual(counted, wanted);
  };
  // The assertion says which number differs.
  await until(isEqual, { timeoutMs: 30_000, message: "the numbers to be equal" }).catch(() => {});
  assert.deepEqual(counted, wanted);
}

function sumOf(sends: readonly SendView[]): Record<string, number> {
  const sum: Partial<Record<MessageState, number>> = {};
  for (const { states } of sends) {
    for (const [state, count] of Object.entries(states) as [MessageState, number][]) {
      sum[state] = (sum[state] ?? 0) + count;
    }
  }
  return sum;
}

function countEach(count: (outcome: Outcome) => Promise<number>): Promise<Record<string, number>> {
  return Promise.all(OUTCOMES.map(async (outcome) => [outcome, await count(outcome)] as const))
    .then(Object.fromEntries);
}

function countByInterface(
  { get }: JoinedSystem,
  { token, from }: { token: string; from: string },
): Promise<Record<string, number>> {
  return countEach(async (state) => {
    const path = `/messages?state=${state}&from=${from}`;
    const { body } = await get<{ data: unknown[] }>(path, { token });
    return body.data.length;
  });
}

function countByList(
  viewer: Person,
  { integration, from }: { integration: number; from: string },
): Promise<Record<string, number>> {
  return countEach(async (state) => {
    const query = `state=${state}&integration=${integration}&from=${from}`;
    return (await viewer.ask<{ rows: unknown[] }>("GET", `/messages?${query}`)).rows.length;
  });
}

const EVENTS: Record<Outcome, string> = {
  sent: "message.sent",
  failed: "message.failed",
  suppressed: "recipient.suppressed",
  canceled: "message.canceled",
};

async function countByEvents(
  { get }: JoinedSystem,
  token: string,
): Promise<Record<string, number>> {
  const { body } = await get<{ data: { type: string }[] }>("/events", { token });
  return countEach((outcome) =>
    Promise.resolve(body.data.filter(({ type }) => type === EVENTS[outcome]).length)
  );
}

async function countByOverview(viewer: Person) {
  const { counts } = await viewer.ask<{ counts: Record<string, number>[] }>("GET", "/overview");
  const sum = (name: string) => counts.reduce((total, bucket) => total + (bucket[name] ?? 0), 0);
  const [accepted, sent, failed] = [sum("accepted"), sum("sent"), sum("failed")];
  return { accepted, sent, failed, deferred: sum("deferred"), unknown: sum("unknown") };
}

async function countByIntegration(viewer: Person, wanted: number) {
  const list = await viewer.ask<{ id: number; attempts: number; sent: number }[]>(
    ...["GET", "/integrations"] as const,
  );
  const { attempts = -1, sent = -1 } = list.find(({ id }) => id === wanted) ?? {};
  return { attempts, sent };
}

/** Returns the numbers above the list, from the first report of its stream. */
async function countLive({ cookie: { name, value } }: Person, { stack }: JoinedSystem) {
  const headers = { cookie: `${name}=${value}` };
  const stream = await fetch(`${stack.dashboardUrl}/api/messages/stream`, { headers });
  let text = "";
  for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const [, counts] = /^event: counts\ndata: (.*)\n\n/m.exec(text) ?? [];
    if (counts !== undefined) return JSON.parse(counts) as Record<string, number>;
  }
  throw new Error(`The stream ended without counts: ${text}`);
}
