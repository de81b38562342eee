import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { dayOf, type UsageDay, type UsageNote } from "@posthaste/storage";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";
import { openByteQuota } from "./byte_quota.ts";

const NOON = new Date("2031-05-02T12:00:00Z");

/** Usage as the database would keep it. */
function openUsage() {
  const days = new Map<string, UsageDay>();
  return {
    fails: false,
    async note(notes: readonly UsageNote[]) {
      if (this.fails) throw new Error("the database is away");
      for (const { accountId, at, bytes } of notes) {
        const day = dayOf(at);
        const _id = `${accountId}/${day.toISOString()}`;
        days.set(_id, { _id, accountId, day, bytes: (days.get(_id)?.bytes ?? 0) + bytes });
      }
      await nextTurn();
    },
    async list(accountIds: readonly string[]) {
      await nextTurn();
      return [...days.values()].filter(({ accountId }) => accountIds.includes(accountId));
    },
  };
}

function openProcess(
  usage: ReturnType<typeof openUsage>,
  limits: { daily: number; stored: number },
) {
  let now = NOON;
  const warnings: string[] = [];
  const quota = openByteQuota({
    usage,
    now: () => now,
    logger: { warn: (message) => void warnings.push(message) },
  }, limits);
  return {
    quota,
    warnings,
    set now(at: Date) {
      now = at;
    },
    async accept(accountId: string, bytes: number) {
      await quota.load(accountId);
      quota.admit(accountId, bytes);
      quota.note(accountId, bytes);
    },
  };
}

async function pass(context: TestContext, ms: number): Promise<void> {
  context.mock.timers.tick(ms);
  for (let turn = 0; turn < 8; turn++) await nextTurn();
}

test("openByteQuota() refuses what exceeds a day's bytes, until midnight", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const usage = openUsage();
  const one = openProcess(usage, { daily: 100, stored: 0 });
  await one.accept("acc_1", 60);
  await one.accept("acc_1", 40);
  await assert.rejects(one.accept("acc_1", 1), {
    code: "too_many_requests",
    retryAfter: 12 * 3600,
    message: "Cannot accept the send: the account has used up its 100 bytes a day (UTC)",
  });
  await one.accept("acc_2", 100);
  one.now = new Date("2031-05-03T00:00:00Z");
  await one.accept("acc_1", 100);
  await one.quota[Symbol.asyncDispose]();
  assert.deepEqual((await usage.list(["acc_1"])).map(({ bytes }) => bytes), [100, 100]);
});

test("openByteQuota() counts what other processes accepted, and loses nothing while the database is away", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const usage = openUsage();
  const [one, two] = [1, 2].map(() => openProcess(usage, { daily: 100, stored: 0 }));
  assert.ok(one && two);
  await one.accept("acc_1", 60);
  await pass(context, 1000);
  await two.accept("acc_1", 30);
  await assert.rejects(two.accept("acc_1", 11), { code: "too_many_requests" });
  usage.fails = true;
  await pass(context, 1000);
  assert.equal(two.warnings.length, 1);
  usage.fails = false;
  await pass(context, 1000);
  await one.accept("acc_1", 1);
  await pass(context, 1000);
  await assert.rejects(one.accept("acc_1", 10), { code: "too_many_requests" });
  const [day] = await usage.list(["acc_1"]);
  assert.equal(day?.bytes, 91);
});

test("openByteQuota() refuses an account that sends seldom and whose usage it no longer holds in memory", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const process = openProcess(openUsage(), { daily: 100, stored: 0 });
  await process.accept("acc_1", 100);
  await pass(context, 1000);
  for (const minute of [2, 4, 6]) {
    process.now = new Date(NOON.getTime() + minute * 60_000);
    await pass(context, 1000);
    await assert.rejects(process.accept("acc_1", 1), { code: "too_many_requests" });
  }
});

test("openByteQuota() limits the stored bytes over all days that are kept", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const process = openProcess(openUsage(), { daily: 0, stored: 100 });
  await process.accept("acc_1", 60);
  process.now = new Date("2031-05-03T12:00:00Z");
  await process.accept("acc_1", 40);
  await assert.rejects(process.accept("acc_1", 1), {
    retryAfter: undefined,
    message: "Cannot accept the send: the account has used up its 100 bytes of stored contents",
  });
});

test("POST …/send/… returns 429 beyond the account's bytes, and accepts nothing", async () => {
  const bytes = Buffer.byteLength(JSON.stringify(smallSend()));
  await using api = openTestApp({}, { byteQuota: { daily: 2 * bytes, stored: 0 } });
  for (const status of [200, 200, 429, 429]) {
    const answer = await api.post(SEND, smallSend());
    assert.equal(answer.status, status);
    if (status === 429) assert.match(answer.body.error, /has used up its \d+ bytes a day/);
  }
  assert.equal(api.sends.length, 2);
});
