/** Batches through the whole system: each recipient gets one mail, or none after a cancel. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MessageState, TOKEN_SCOPES } from "@posthaste/contracts";
import { nightly, openSmtpSink, type SmtpSink, until } from "@posthaste/kit";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";
import { SENDER } from "./system.ts";

nightly("services/api/batches_test.ts", "services/tracker/advance_batches_test.ts");

let system: JoinedSystem;
let sink: SmtpSink;
let template: number;
let token: string;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(await openSmtpSink());
  system = stack.use(await joinSystem());
  template = await system.publishEmail({ subject: "Hi {{name}}", html: "<p>{{shop}}</p>" });
  const scopes: (typeof TOKEN_SCOPES)[number][] = ["send", "read", "list", "manage:messages"];
  const { accountId } = system;
  ({ token } = await system.store.tokens.create({ accountId, name: "batches", scopes }));
  opened = stack.move();
});
after(() => opened?.disposeAsync());

const PATIENCE_MS = 180_000;
/** Recipients of one part. */
const PART = 500;

interface BatchView {
  id: string;
  state: string;
  recipients: number;
  sends: number;
  states: Partial<Record<MessageState, number>>;
  settled: boolean;
  code?: string;
}

async function post(path: string, body: unknown, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return await system.post<BatchView>(path, body, { token, headers });
}

/** Opens a batch at an integration of its own. */
async function openBatch(
  integration: { maxPerMinute?: number } = {},
  changes: Record<string, unknown> = {},
): Promise<string> {
  const integrationId = await system.connect(sink.port, integration);
  const shared = { templateId: template, integrationId, from: { email: SENDER } };
  const { status, body } = await post("/batches", {
    ...{ ...shared, variables: { shop: "Northwind" } },
    ...changes,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.id;
}

/** Reads a batch, and again while the token's five searches a second are used up by tests beside this one. */
function find(id: string): Promise<BatchView> {
  return until(async () => {
    const { status, body } = await system.get<BatchView>(`/batches/${id}`, { token });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }, { timeoutMs: PATIENCE_MS, everyMs: 500, message: `an answer about batch "${id}"` });
}

function partOf(domain: string, n: number) {
  const to = Array.from({ length: PART }, (_, index) => {
    const name = `r${n * PART + index}`;
    return { email: `${name}@${domain}`, variables: { name } };
  });
  return { to };
}

/** Returns how many mails each address at a domain got. */
function mailsAt(domain: string): Map<string, number> {
  const mails = new Map<string, number>();
  for (const { envelope: { to } } of sink.messages) {
    for (const email of to) {
      if (email.endsWith(`@${domain}`)) mails.set(email, (mails.get(email) ?? 0) + 1);
    }
  }
  return mails;
}

function untilSettled(id: string): Promise<BatchView> {
  return until(async () => {
    const batch = await find(id);
    return batch.settled && batch;
  }, { timeoutMs: PATIENCE_MS, everyMs: 300, message: `batch "${id}" to be settled` });
}

test("a batch of many recipients sends nothing before its close, and then each of them one mail", async () => {
  const domain = "whole.batch.example";
  const id = await openBatch();
  const path = `/batches/${id}/recipients`;
  // All parts at the same time, and one of them three times.
  const parts = [0, 1, 2, 3, 4, 5, 2, 2];
  const added = await Promise.all(
    parts.map((n) => post(path, partOf(domain, n), `whole-${n}`)),
  );
  assert.deepEqual(new Set(added.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(added.map(({ body }) => body.id)).size, 6);
  const open = await find(id);
  assert.deepEqual([open.state, open.recipients, open.sends], ["open", 6 * PART, 6]);
  assert.deepEqual([open.states, open.settled], [{ scheduled: 6 * PART }, false]);
  assert.equal(mailsAt(domain).size, 0);
  assert.equal((await post(`/batches/${id}/close`, {})).body.state, "closed");
  // A repetition after the close gets its first answer; a new part is refused.
  const again = await post(path, partOf(domain, 5), "whole-5");
  assert.deepEqual([again.status, again.body.id], [200, added[5]?.body.id]);
  assert.equal((await post(path, partOf(domain, 6), "whole-6")).body.code, "batch_closed");
  const { states } = await untilSettled(id);
  assert.deepEqual(states, { sent: 6 * PART });
  const mails = mailsAt(domain);
  assert.equal(mails.size, 6 * PART);
  assert.deepEqual(new Set(mails.values()), new Set([1]));
  const events = await until(async () => {
    const { status, body } = await system.get<{ data: { data: { batchId?: string } }[] }>(
      "/events?types=send.settled&limit=100",
      { token },
    );
    // Searches have a limit, which the other tests use, too.
    return status === 429 ? undefined : body.data;
  }, { everyMs: 1000, message: "a search within the limit" });
  assert.equal(events.filter(({ data }) => data.batchId === id).length, 6);
});

test("a batch that is canceled in the middle sends no more, and says what became of each message", async () => {
  const domain = "canceled.batch.example";
  const id = await openBatch({ maxPerMinute: 120 });
  for (let n = 0; n < 3; n++) {
    await post(`/batches/${id}/recipients`, partOf(domain, n), `canceled-${n}`);
  }
  await post(`/batches/${id}/close`, {});
  await until(() => mailsAt(domain).size > 0, { timeoutMs: PATIENCE_MS, message: "a first mail" });
  assert.equal((await post(`/batches/${id}/cancel`, {})).body.state, "canceled");
  const { states } = await untilSettled(id);
  const { sent = 0, canceled = 0 } = states;
  assert.equal(sent + canceled, 3 * PART);
  assert.ok(sent > 0 && canceled > 0, JSON.stringify(states));
  const mails = mailsAt(domain);
  assert.equal(mails.size, sent);
  assert.deepEqual(new Set(mails.values()), new Set([1]));
});

test("parts that race with the close are all sent or all refused, as their answers say", async () => {
  const domain = "race.batch.example";
  const id = await openBatch();
  const adding = Array.from(
    { length: 8 },
    (_, n) =>
      post(`/batches/${id}/recipients`, { to: partOf(domain, n).to.slice(0, 5) }, `race-${n}`),
  );
  await Promise.race(adding);
  const [closed, ...answers] = await Promise.all([post(`/batches/${id}/close`, {}), ...adding]);
  assert.equal(closed.status, 200);
  for (const { status, body } of answers) {
    assert.ok(status === 200 || status === 409 && body.code === "batch_closed", body.code);
  }
  const accepted = answers.filter(({ status }) => status === 200).length;
  assert.ok(accepted > 0);
  const { states, sends } = await untilSettled(id);
  assert.deepEqual([states, sends], [{ sent: 5 * accepted }, accepted]);
  assert.equal(mailsAt(domain).size, 5 * accepted);
});

test("a batch that starts now sends each part before it is closed", async () => {
  const domain = "now.batch.example";
  const id = await openBatch({}, { start: "now" });
  await post(`/batches/${id}/recipients`, { to: partOf(domain, 0).to.slice(0, 20) }, "now-0");
  await until(() => mailsAt(domain).size === 20, { timeoutMs: PATIENCE_MS, message: "20 mails" });
  assert.equal((await find(id)).state, "open");
  await post(`/batches/${id}/close`, {});
  assert.deepEqual((await untilSettled(id)).states, { sent: 20 });
});
