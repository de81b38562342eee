import { type Integration, newSendId } from "@posthaste/contracts";
import type { Outgoing } from "@posthaste/messaging";
import type { SendHead, UnfinishedMessage } from "@posthaste/storage";
import { type Changes, openMemoryLedger, until, withChanges } from "@posthaste/kit";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { identifyAll } from "./_test_identify.ts";
import { type ReconcileDeps, reconcileForever, reconcileOnce } from "./reconcile.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;
const GRACE_MS = 20_000;
const PATIENCE_MS = 60_000;
// A claim ends soon, so that a send whose examination was cut off is examined again.
const CLAIM_MS = 2 * GRACE_MS;
// A send that is an hour old is examined again after half of that, or somewhat less.
const LOOK_MS = 64 * GRACE_MS;
const OPTIONS = {
  graceMs: GRACE_MS,
  flow: { knows: () => false, begin: () => {}, release: () => {} },
};

function sendOf(changes: Partial<SendHead> = {}): SendHead {
  return {
    _id: newSendId("acc_1"),
    accountId: "acc_1",
    acceptedAt: new Date(NOW.getTime() - HOUR),
    priority: "bulk",
    template: { id: 1, version: 2 },
    pdfVersions: { 7: 3 },
    integrationId: 4,
    from: { email: "shop@example.com" },
    messageCount: 3,
    settledAt: null,
    reconcileAt: NOW,
    ...changes,
  };
}

function messageIn(changes: Partial<UnfinishedMessage>): UnfinishedMessage {
  const at = {
    nextAt: null,
    waitsFor: null,
    enteredAt: new Date(NOW.getTime() - HOUR),
  };
  return { index: 0, outcome: undefined, register: undefined, ...at, ...changes };
}

function openReconciler(
  sends: SendHead[],
  unfinished: Record<string, UnfinishedMessage[]>,
  changes: Changes<ReconcileDeps> = {},
) {
  const done: string[] = [];
  const published: { outgoing: Outgoing; trace: string | undefined }[] = [];
  const ledger = openMemoryLedger();
  const deps = withChanges<ReconcileDeps>({
    batches: {
      noteEnds: () => Promise.resolve(),
    },
    registers: {
      ledgerOf: ledger.registers.ledgerOf,
    },
    sends: {
      identify: identifyAll(NOW),
      listToReconcile: (now, limit) => {
        done.push(`find ${limit} at ${now.toISOString()}`);
        return Promise.resolve(sends);
      },
      nextReconciliation: () => Promise.resolve(undefined),
      claimReconciliation: (ids, { reconcileAt }) => {
        assert.equal(reconcileAt.getTime() - NOW.getTime(), CLAIM_MS);
        done.push(`claim ${ids.join()}`);
        return Promise.resolve(sends.filter(({ _id }) => ids.includes(_id)));
      },
      planReconciliation: (ids, { claimedUntil, reconcileAt }) => {
        assert.equal(claimedUntil.getTime() - NOW.getTime(), CLAIM_MS);
        done.push(`plan ${ids.join()} for ${reconcileAt.getTime() - NOW.getTime()}`);
        return Promise.resolve();
      },
      finished: (ids) =>
        Promise.resolve(ids.map((_id) => ({
          ...{ _id, accountId: "acc_1", messageCount: 3, states: { sent: 3 }, attempts: 3 },
        }))),
      settle: (sends) => {
        done.push(`settle ${sends.map(({ _id }) => _id).join()}`);
        return Promise.resolve(sends.length);
      },
    },
    integrations: {
      find: () => Promise.resolve(null),
    },
    messages: {
      unfinishedOf: (sends) => {
        done.push(`read ${sends.map(({ _id }) => _id).join()}`);
        return Promise.resolve(new Map(sends.map(({ _id }) => [_id, unfinished[_id] ?? []])));
      },
    },
    waiting: {
      queueSend: ({ _id }) => Promise.resolve(void done.push(`queue ${_id}`)),
    },
    publish: (outgoing, trace) => {
      done.push("publish");
      published.push({ outgoing, trace });
      return Promise.resolve();
    },
    recordTimelines: () => Promise.resolve(),
    recordSettled: (sends) => {
      done.push(`record settled ${sends.map(({ _id }) => _id).join()}`);
      return Promise.resolve();
    },
    now: () => NOW,
    logger: { info: () => {}, warn: (line) => void done.push(line) },
  }, changes);
  return { deps, done, published, ledger };
}

const SENDING = { by: "a worker", dot: true as const };

const FIND = `find 200 at ${NOW.toISOString()}`;

test("reconcileOnce() does nothing more if no send is due", async () => {
  const { deps, done } = openReconciler([], {});
  assert.equal(await reconcileOnce(deps, OPTIONS), 0);
  assert.deepEqual(done, [FIND]);
});

test("reconcileOnce() claims before it reads, and settles at the end", async () => {
  const finished = sendOf();
  const open = sendOf();
  const { deps, done } = openReconciler([finished, open], { [open._id]: [messageIn({})] });
  assert.equal(await reconcileOnce(deps, OPTIONS), 2);
  assert.deepEqual(done, [
    FIND,
    `claim ${finished._id},${open._id}`,
    `read ${finished._id},${open._id}`,
    "publish",
    `plan ${open._id} for ${LOOK_MS}`,
    `record settled ${finished._id}`,
    `settle ${finished._id}`,
  ]);
});

test("reconcileOnce() reads many small sends, and plans their next looks, with one command each", async () => {
  const small = Array.from({ length: 3 }, () => sendOf({ messageCount: 1 }));
  const large = sendOf({ messageCount: 5000 });
  const after = sendOf({ messageCount: 1000 });
  const all = [...small, large, after];
  const messages = Object.fromEntries(all.map(({ _id }) => [_id, [messageIn({})]]));
  const { deps, done, published } = openReconciler(all, messages);
  const flow = { ...OPTIONS.flow, knows: () => true };
  await reconcileOnce(deps, { ...OPTIONS, flow });
  const ids = small.map(({ _id }) => _id).join();
  assert.deepEqual(done.filter((line) => !/^(?:find|claim)/.test(line)), [
    `read ${ids}`,
    `read ${large._id}`,
    `read ${after._id}`,
    `plan ${all.map(({ _id }) => _id).join()} for ${GRACE_MS}`,
  ]);
  assert.deepEqual(published, []);
});

test("reconcileOnce() leaves sends alone that another reconciler has claimed", async () => {
  const [taken, own] = [sendOf(), sendOf()];
  const { deps, done } = openReconciler([taken, own], {}, {
    sends: {
      claimReconciliation: () => Promise.resolve([own]),
    },
  });
  assert.equal(await reconcileOnce(deps, OPTIONS), 2);
  assert.deepEqual(done.slice(1), [
    `read ${own._id}`,
    `record settled ${own._id}`,
    `settle ${own._id}`,
  ]);
});

test("reconcileOnce() settles a send that was canceled after it was found and before it was claimed", async () => {
  const waiting = sendOf({ next: 0, waitsFor: "acc_1/4" });
  const { next: _next, waitsFor: _waitsFor, ...canceled } = waiting;
  const { deps, done } = openReconciler([waiting], {}, {
    sends: { claimReconciliation: () => Promise.resolve([canceled]) },
  });
  assert.equal(await reconcileOnce(deps, OPTIONS), 1);
  assert.deepEqual(done.slice(1), [
    `read ${waiting._id}`,
    `record settled ${waiting._id}`,
    `settle ${waiting._id}`,
  ]);
});

test("reconcileOnce() dispatches what is due with its attempts, in the send's trace", async () => {
  const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const send = sendOf({ trace });
  const { deps, published } = openReconciler([send], {
    [send._id]: [
      messageIn({ index: 1 }),
      messageIn({ index: 4, outcome: { attempt: 2, state: "deferred" } }),
      messageIn({ index: 5, register: { register: SENDING, isOver: false } }),
    ],
  });
  await reconcileOnce(deps, OPTIONS);
  assert.equal(published.length, 1);
  assert.equal(published[0]?.trace, trace);
  assert.deepEqual(published[0]?.outgoing, {
    type: "send.resumed",
    data: {
      v: 2,
      sendId: send._id,
      accountId: "acc_1",
      priority: "bulk",
      again: [{ index: 1, attempt: 0 }, { index: 4, attempt: 2 }],
      redelivered: true,
    },
  });
});

test("reconcileOnce() records an unknown outcome for an attempt whose worker was lost", async () => {
  const send = sendOf();
  const takenAt = new Date(NOW.getTime() - HOUR);
  const lost = messageIn({ index: 6, register: { register: SENDING, isOver: true, at: takenAt } });
  for (const whenUnknown of ["retry", "hold"] as const) {
    const { deps, ledger, published } = openReconciler([send], { [send._id]: [lost] }, {
      integrations: {
        find: () => Promise.resolve({ whenUnknown, retryForMs: 48 * HOUR } as Integration),
      },
    });
    await reconcileOnce(deps, OPTIONS);
    const [unknown] = ledger.written;
    assert.deepEqual(unknown?.lines.map(({ type, at }) => [type, at.getTime()])[0], [
      "sending",
      NOW.getTime() - HOUR,
    ]);
    assert.deepEqual(
      [unknown?.state, unknown?.unknownAttempt, unknown?.lines.at(-1)?.ambiguous],
      [whenUnknown === "retry" ? "deferred" : "unknown", 1, true],
    );
    // The next attempt is due immediately, and the search for due messages finds it.
    assert.equal(unknown?.nextAt?.getTime(), whenUnknown === "retry" ? NOW.getTime() : undefined);
    assert.deepEqual(published.map(({ outgoing }) => outgoing.type), [
      whenUnknown === "retry" ? "status.message.deferred" : "status.message.unknown",
    ]);
  }
});

test("reconcileOnce() reports no unknown outcome if another process has written what it knows", async () => {
  const send = sendOf();
  const register = { register: SENDING, isOver: true, at: NOW };
  const { deps, ledger, published } = openReconciler([send], {
    [send._id]: [messageIn({ register })],
  });
  ledger.intercept = ({ op }) =>
    op === "writeOutcome" ? { type: "written", isApplied: false } : undefined;
  await reconcileOnce(deps, OPTIONS);
  assert.deepEqual(ledger.written, []);
  assert.deepEqual(published, []);
});

test("reconcileOnce() writes the outcome of a register whose owner was lost", async () => {
  const send = sendOf();
  const outcome = { state: "canceled" as const, at: NOW, reason: "Canceled on request", lines: [] };
  const register = { register: { by: "a person", void: outcome }, isOver: false };
  const { deps, ledger } = openReconciler([send], { [send._id]: [messageIn({ register })] });
  await reconcileOnce(deps, OPTIONS);
  assert.deepEqual(ledger.written.map(({ state, attempt }) => [state, attempt]), [["canceled", 1]]);
});

test("reconcileOnce() reports a message as sent if its server took it, but the owner was lost", async () => {
  const send = sendOf();
  const outcome = { state: "sent" as const, sentBy: 1, at: NOW, lines: [] };
  const register = { register: { by: "sent by 1", void: outcome }, isOver: false };
  const message = messageIn({ outcome: { attempt: 1, state: "deferred" }, register });
  const { deps, published } = openReconciler([send], { [send._id]: [message] });
  await reconcileOnce(deps, OPTIONS);
  assert.deepEqual(published.map(({ outgoing }) => outgoing.type), ["status.message.sent"]);
});

test("reconcileOnce() reports the outcomes that it could write if another one cannot be", async () => {
  const send = sendOf({ messageCount: 3 });
  const messages = [0, 1, 2].map((index) =>
    messageIn({ index, register: { register: SENDING, isOver: true, at: NOW } })
  );
  const { deps, ledger, published } = openReconciler([send], { [send._id]: messages });
  let writes = 0;
  ledger.intercept = ({ op }) => {
    if (op === "writeOutcome" && ++writes === 2) {
      return { type: "unsure", cause: new Error("lost") };
    }
    return undefined;
  };
  await reconcileOnce(deps, OPTIONS);
  const [report] = published.map(({ outgoing }) => outgoing);
  assert.ok(report?.type === "status.message.unknown");
  assert.deepEqual(report.data.outcomes.map(({ index }) => index), [0, 2]);
});

test("reconcileOnce() examines a send again when its next message is due", async () => {
  const send = sendOf();
  const soon = (ms: number) => new Date(NOW.getTime() + ms);
  const { deps, done, published } = openReconciler([send], {
    [send._id]: [
      messageIn({ outcome: { attempt: 1, state: "deferred" }, nextAt: soon(7000) }),
      messageIn({ outcome: { attempt: 1, state: "deferred" }, nextAt: soon(9000) }),
      messageIn({ outcome: { attempt: 1, state: "unknown" } }),
    ],
  });
  await reconcileOnce(deps, OPTIONS);
  assert.deepEqual(published, []);
  assert.equal(done.at(-1), `plan ${send._id} for ${7000 + PATIENCE_MS}`);
  assert.ok(!done.some((line) => line.startsWith("settle")));
});

test("reconcileOnce() leaves messages that wait for capacity to the scheduler, and makes unrecorded ones wait", async () => {
  const said = sendOf({ next: 1, waitsFor: "acc_1/4" });
  const unsaid = sendOf({ next: 0 });
  const { deps, done, published } = openReconciler([said, unsaid], {
    [said._id]: [messageIn({ index: 0 })],
  });
  await reconcileOnce(deps, OPTIONS);
  assert.deepEqual(done.filter((line) => line.startsWith("queue")), [`queue ${unsaid._id}`]);
  assert.deepEqual(
    published.map(({ outgoing }) => outgoing.type === "send.resumed" && outgoing.data.again),
    [[{ index: 0, attempt: 0 }]],
  );
});

/** Reconciles two sends, of which the first cannot be published. */
async function reconcileBroken(error: Error) {
  const [broken, sound] = [sendOf(), sendOf()];
  let isFirst = true;
  const opened = openReconciler([broken, sound], {
    [broken._id]: [messageIn({})],
    [sound._id]: [messageIn({})],
  }, {
    publish: () => {
      if (!isFirst) return Promise.resolve(void opened.done.push("publish"));
      isFirst = false;
      return Promise.reject(error);
    },
  });
  const round = reconcileOnce(opened.deps, OPTIONS);
  return { round, done: opened.done, broken, sound };
}

test("reconcileOnce() goes on with other sends when one cannot be reconciled, and examines it again soon", async () => {
  const { round, done, sound } = await reconcileBroken(new Error("maximum bytes exceeded"));
  await round;
  assert.deepEqual(done.slice(3), [
    "publish",
    "Cannot reconcile 1 sends, retrying",
    `plan ${sound._id} for ${LOOK_MS}`,
  ]);
});

test("reconcileOnce() stops at an outage, and the claims of all its sends end soon", async () => {
  const away = Object.assign(new Error("away"), { errorType: "unavailable" });
  const { round, done } = await reconcileBroken(away);
  await assert.rejects(round, /away/);
  assert.equal(done.filter((line) => /^(?:publish|plan|settle)/.test(line)).length, 0);
});

test("reconcileForever() continues after a failure and ends with its signal", async () => {
  const stop = new AbortController();
  let rounds = 0;
  const { deps, done } = openReconciler([], {}, {
    sends: {
      listToReconcile: () =>
        ++rounds === 1 ? Promise.reject(new Error("away")) : Promise.resolve([]),
    },
  });
  const ended = reconcileForever(deps, {
    ...OPTIONS,
    graceMs: 200,
    intervalMs: 5,
    signal: stop.signal,
  });
  await delay(60);
  assert.equal(rounds, 1, "a ledger that was away is left to others for a while");
  await until(() => rounds > 2);
  stop.abort();
  await ended;
  assert.deepEqual(done, ["Cannot reconcile, retrying"]);
});

test("reconcileOnce() does not act on late results of a ledger that hangs", async () => {
  const { deps, done } = openReconciler([], {}, {
    sends: {
      listToReconcile: () => delay(2050, [sendOf()]),
    },
  });
  await assert.rejects(reconcileOnce(deps, OPTIONS), /took over 2000 ms/);
  assert.deepEqual(done, []);
});

test("reconcileForever() does not wait after a full round", async () => {
  const stop = new AbortController();
  const full = Array.from({ length: 200 }, () => sendOf());
  let rounds = 0;
  const { deps } = openReconciler([], {}, {
    sends: {
      listToReconcile: () => Promise.resolve(++rounds < 3 ? full : []),
    },
  });
  const ended = reconcileForever(deps, { ...OPTIONS, intervalMs: 60_000, signal: stop.signal });
  await until(() => rounds === 3);
  stop.abort();
  await ended;
  assert.equal(rounds, 3);
});

test("reconcileOnce() neither redispatches nor settles a scheduled send", async () => {
  const notBefore = new Date(NOW.getTime() + HOUR);
  const send = sendOf({ next: 0, notBefore });
  const { deps, done } = openReconciler([send], {});
  await reconcileOnce(deps, OPTIONS);
  assert.deepEqual(done.slice(2, -1), [`read ${send._id}`, `queue ${send._id}`]);
  assert.equal(done.at(-1), `plan ${send._id} for ${HOUR + PATIENCE_MS}`);
});

test("reconcileOnce() records the events of the open sends that it claimed", async () => {
  const [finished, open] = [sendOf(), sendOf()];
  const recorded: unknown[] = [];
  const { deps } = openReconciler([finished, open], { [open._id]: [messageIn({})] }, {
    recordTimelines: (of) => Promise.resolve(void recorded.push(of)),
  });
  await reconcileOnce(deps, OPTIONS);
  assert.deepEqual(recorded, [{ sendIds: [open._id] }]);
});

test("reconcileOnce() holds an attempt by a fallback whose worker was lost, whatever the policy", async () => {
  const send = sendOf();
  const register = { register: SENDING, isOver: true, at: NOW, fallback: 5 };
  const lost = messageIn({ index: 6, register });
  const { deps, ledger, published } = openReconciler([send], { [send._id]: [lost] }, {
    integrations: {
      find: () => Promise.resolve({ whenUnknown: "retry", retryForMs: 48 * HOUR } as Integration),
    },
  });
  await reconcileOnce(deps, OPTIONS);
  const [unknown] = ledger.written;
  assert.equal(unknown?.state, "unknown");
  assert.deepEqual(unknown?.lines.map(({ integrationId }) => integrationId), [5, 5]);
  const reported = published.flatMap(({ outgoing }) =>
    outgoing.type === "status.message.unknown" ? outgoing.data.outcomes : []
  );
  assert.deepEqual(reported.map(({ integrationId }) => integrationId), [5]);
});
