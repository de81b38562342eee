import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf, type TokenLimits } from "@posthaste/contracts";
import { takeAttempt, testSend } from "@posthaste/kit";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";

const PATH = "/manage/v1/recipients/forget";
const EMAIL = "Ann@example.net";

let dashboard: TestDashboard;
before(async () => void (dashboard = await openTestDashboard()));
after(() => dashboard?.[Symbol.asyncDispose]());

async function programOf(limits: Partial<TokenLimits> = {}) {
  const { own: { accountId }, store, program } = dashboard;
  const base = { accountId, name: "CI", scopes: ["manage:account"] as const };
  const { token } = await store.tokens.create({ ...base, scopes: [...base.scopes], limits });
  return program(token);
}

/** Accepts a send with `count` messages to the person. */
async function sendTo(accountId: string, count: number): Promise<string> {
  const to = Array.from({ length: count }, () => ({ email: EMAIL }));
  const request = { from: { email: "shop@example.com" }, to };
  const send = testSend({ accountId, acceptedAt: new Date(), request });
  await dashboard.store.sends.accept(send);
  return send._id;
}

test("POST /manage/v1/recipients/forget forgets a person in one account, and reports what is left", async () => {
  const { own, foreign, store } = dashboard;
  const sendId = await sendTo(own.accountId, 2);
  const foreignId = await sendTo(foreign.accountId, 1);
  const busy = messageIdOf(sendId, 1);
  await takeAttempt(store, { messageId: busy, attempt: 1 });
  await store.audit.note({
    ...{ accountId: own.accountId, at: new Date(), userId: null, userEmail: null },
    ...{ action: "message.resent", target: `message to ${EMAIL}`, details: {} },
  });
  const { status, body } = await (await programOf()).post(PATH, { email: EMAIL });
  assert.deepEqual([status, body], [200, {
    removed: { messages: 1, canceled: 1, copies: 0, invitations: 0 },
    left: { messages: [busy], auditLines: 1, auditNext: null, isCut: false },
  }]);
  assert.equal(
    (await store.sends.find(own.accountId, sendId))?.request.to[0]?.email.endsWith(".invalid"),
    true,
  );
  assert.equal((await store.sends.find(foreign.accountId, foreignId))?.request.to[0]?.email, EMAIL);
  const [line] = await store.audit.list(own.accountId, { limit: 1 });
  assert.match(line?.userEmail ?? "", /^token "CI"/);
  assert.deepEqual([line?.action, line?.target], ["recipient.forgotten", "a recipient"]);
  assert.deepEqual(line?.details, { messages: 1, canceled: 1, left: 1 });
});

test("POST /manage/v1/recipients/forget counts in the audit log from where it goes on", async () => {
  const { own: { accountId }, store } = dashboard;
  const [last] = await store.audit.list(accountId, { limit: 1 });
  const program = await programOf();
  const { body } = await program.post(PATH, { email: EMAIL, auditAfter: last?._id });
  assert.deepEqual([body.left.auditLines, body.left.auditNext], [0, null]);
  for (const auditAfter of [7, null, { $gt: "" }, "a".repeat(101)]) {
    assert.equal((await program.post(PATH, { email: EMAIL, auditAfter })).status, 400);
  }
});

test("POST /api/recipients/forget is for owners, and refuses what is not one address", async () => {
  const { owner, editor } = dashboard.own;
  const path = "/api/recipients/forget";
  assert.equal((await editor.post(path, { email: EMAIL })).status, 403);
  assert.equal((await owner.post(path, { email: EMAIL })).status, 200);
  for (const body of [{}, { email: "" }, { email: "ann" }, { email: [EMAIL] }]) {
    assert.equal((await owner.post(path, body)).status, 400, JSON.stringify(body));
  }
  const more = { email: EMAIL, accountId: dashboard.foreign.accountId };
  assert.equal((await owner.post(path, more)).status, 400);
});

test("POST /manage/v1/recipients/forget is refused to tokens for some templates or integrations", async () => {
  for (const limits of [{ templates: [1] }, { integrations: [1] }]) {
    const { status, body } = await (await programOf(limits)).post(PATH, { email: EMAIL });
    assert.deepEqual([status, body.code], [403, "missing_scope"]);
  }
});
