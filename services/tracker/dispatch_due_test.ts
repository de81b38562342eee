import { type Integration, messageIdOf, newSendId } from "@posthaste/contracts";
import type { Outgoing } from "@posthaste/messaging";
import type { DueMessage, SendHead } from "@posthaste/storage";
import { type Changes, openMemoryLedger, withChanges } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { identifyAll } from "./_test_identify.ts";
import { dispatchRound, type RoundDeps } from "./dispatch_round.ts";
import { openFlow } from "./flow.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const PATIENCE_MS = 60_000;
const SEND: SendHead = {
  _id: newSendId("acc_1"),
  accountId: "acc_1",
  acceptedAt: NOW,
  priority: "bulk",
  template: { id: 1, version: 2 },
  pdfVersions: {},
  integrationId: 4,
  from: { email: "shop@example.com" },
  messageCount: 9,
  settledAt: null,
  reconcileAt: NOW,
};

const OPEN = {
  suspended: null,
  maxPerMinute: null,
  retryForMs: 3_600_000,
  whenUnknown: "retry",
  fallbacks: [] as number[],
} as Integration;

/** A due message, with the sender that its document may have. */
type Due = DueMessage & { from?: string };

function dueOf(index: number, attempt = 1, nextAt = NOW): DueMessage {
  const { _id: sendId, accountId, acceptedAt } = SEND;
  const waitsFor = null;
  return {
    ...{ _id: messageIdOf(sendId, index), sendId, accountId, index, attempt },
    ...{ acceptedAt, nextAt, waitsFor, unknownAttempts: [] },
  };
}

type Registers = Awaited<ReturnType<RoundDeps["registers"]["find"]>>;

function openDue(due: Due[], changes: Changes<RoundDeps> = {}) {
  const ledger = openMemoryLedger();
  const world = { due, now: 0, published: [] as Outgoing[], registers: new Map() as Registers };
  const deps = withChanges<RoundDeps>({
    registers: {
      ledgerOf: ledger.registers.ledgerOf,
      find: (attempts) => {
        const wanted = attempts.map(({ messageId, n }) => `${messageId}/${n}`);
        return Promise.resolve(new Map([...world.registers].filter(([id]) => wanted.includes(id))));
      },
    },
    waiting: {
      integrationsWaitedFor: () => Promise.resolve([]),
      listSends: () => Promise.resolve([]),
      advanceSend: () => Promise.resolve(false),
      startSends: () => Promise.resolve(0),
      integrationsDue: () => Promise.resolve(world.due.length > 0 ? ["acc_1/4"] : []),
      dueMessages: (_, { limit, senders }) =>
        Promise.resolve(
          world.due.filter(({ from }) =>
            senders === undefined || from === undefined || senders?.includes(from)
          ).slice(0, limit),
        ),
    },
    sends: {
      heads: (ids) => Promise.resolve(ids.includes(SEND._id) ? [SEND] : []),
      identify: identifyAll(NOW),
    },
    integrations: {
      find: () => Promise.resolve(OPEN),
    },
    circuits: {
      list: () => Promise.resolve([]),
    },
    publish: (outgoing) => Promise.resolve(void world.published.push(outgoing)),
    patienceMs: PATIENCE_MS,
    now: () => NOW,
  }, changes);
  const clock = { now: () => world.now };
  const flow = openFlow({ patienceMs: PATIENCE_MS, firstWidth: 10, clock });
  /** Runs one round. Returns how many messages it dispatched. */
  async function round(): Promise<number> {
    const before = world.published.length;
    await dispatchRound(deps, { flow, due: await deps.waiting.integrationsDue(deps.now()) });
    return world.published.slice(before).reduce(
      (sum, { type, data }) => sum + (type === "send.resumed" ? data.again.length : 0),
      0,
    );
  }
  const dispatched = () =>
    world.published.splice(0).flatMap((event): (number | string)[] =>
      event.type === "send.resumed" ? event.data.again.map(({ index }) => index) : [event.type]
    );
  return { world, ledger, round, dispatched, flow };
}

/** Integrations of the account, each with two senders. */
function integrationsOf(...all: (Partial<Integration> & { id: number })[]) {
  const senders = ["shop@example.com", "other@example.com"];
  const integrations = new Map(
    all.map((one) => [one.id, {
      ...{ ...OPEN, _id: `acc_1/${one.id}`, senders, archivedAt: null },
      ...one,
    }]),
  );
  return { find: (_: string, id: number) => Promise.resolve(integrations.get(id) ?? null) };
}

/** An integration that does not send itself. */
const STOPPED = { id: 4, fallbacks: [5, 6], suspended: { at: NOW, reason: "no login" } };

test("dispatchRound() dispatches each attempt once, while it is in flight", async () => {
  const { world, round, dispatched } = openDue([dueOf(0), dueOf(3)]);
  assert.equal(await round(), 2);
  assert.deepEqual(dispatched(), [0, 3]);
  world.now = PATIENCE_MS - 1;
  world.due = [dueOf(0), dueOf(3), dueOf(5)];
  assert.equal(await round(), 1);
  assert.deepEqual(dispatched(), [5]);
  // Another attempt of the same message.
  world.due = [dueOf(0, 2)];
  await round();
  assert.deepEqual(dispatched(), [0]);
});

test("dispatchRound() redispatches a lost attempt by its register", async () => {
  const { world, ledger, round, dispatched } = openDue(
    [0, 1, 2, 3].map((index) => dueOf(index)),
  );
  await round();
  dispatched();
  const dot = { by: "a mailer", dot: true as const };
  const outcome = { state: "canceled" as const, at: NOW, lines: [] };
  world.registers = new Map([
    [`${messageIdOf(SEND._id, 1)}/2`, { register: dot, isOver: false }],
    [`${messageIdOf(SEND._id, 2)}/2`, { register: dot, isOver: true }],
    [`${messageIdOf(SEND._id, 3)}/2`, { register: { by: "a", void: outcome }, isOver: false }],
  ]);
  world.now = PATIENCE_MS;
  await round();
  assert.deepEqual(dispatched(), [0, "status.message.deferred"]);
  assert.deepEqual(
    ledger.written.map(({ messageId, attempt, state }) => [messageId, attempt, state]),
    [
      [messageIdOf(SEND._id, 2), 2, "deferred"],
      [messageIdOf(SEND._id, 3), 2, "canceled"],
    ],
  );
  world.now = 2 * PATIENCE_MS - 1;
  world.due = [dueOf(0), dueOf(1)];
  assert.equal(await round(), 0);
});

test("dispatchRound() retries what could not be published", async () => {
  let isAway = true;
  const { round, dispatched, world } = openDue([dueOf(0)], {
    publish: (outgoing) => {
      if (isAway) return Promise.reject(new Error("away"));
      world.published.push(outgoing);
      return Promise.resolve();
    },
  });
  await assert.rejects(round(), /away/);
  isAway = false;
  await round();
  assert.deepEqual(dispatched(), [0]);
});

test("dispatchRound() dispatches all others once if the broker refuses one", async () => {
  const sends = [0, 1, 2].map((): SendHead => ({ ...SEND, _id: newSendId("acc_1") }));
  const [, refused] = sends;
  const due = sends.map(({ _id: sendId }): DueMessage => ({
    ...{ ...dueOf(0), _id: messageIdOf(sendId, 0), sendId },
  }));
  const published: string[] = [];
  const { round } = openDue(due, {
    sends: {
      heads: (ids) => Promise.resolve(sends.filter(({ _id }) => ids.includes(_id))),
    },
    publish: ({ data }) => {
      const { sendId } = data as { sendId: string };
      if (sendId === refused?._id) return Promise.reject(new Error("refused"));
      published.push(sendId);
      return Promise.resolve();
    },
  });
  for (let rounds = 0; rounds < 3; rounds++) await assert.rejects(round(), /refused/);
  assert.deepEqual(published, [sends[0]?._id, sends[2]?._id]);
});

test("dispatchRound() counts an attempt that ends before its publication returns as ended", async () => {
  const { round, flow } = openDue([dueOf(0)], {
    publish: () => Promise.resolve(flow.end({ messageId: dueOf(0)._id, attempt: 1 })),
  });
  await round();
  assert.equal(flow.inFlight("acc_1/4"), 0);
});

const RETURNED = [
  { what: "first attempts that came back wait in the scheduler", attempt: 0, next: [10, 11] },
  { what: "later ones that came back are due again, in their order", attempt: 1, next: [4, 5] },
];

for (const { what, attempt, next } of RETURNED) {
  test(`dispatchRound() dispatches no more than there is capacity for: ${what}`, async () => {
    const all = Array.from({ length: 60 }, (_, index) => dueOf(index, attempt));
    const { world, round, dispatched, flow } = openDue(all);
    assert.equal(await round(), 10);
    assert.deepEqual(dispatched(), Array.from({ length: 10 }, (_, index) => index));
    assert.equal(await round(), 0);
    // The mailer had no connection for the last six.
    for (const { _id: messageId, sendId, index } of all.slice(4, 10)) {
      const returned = { messageId, sendId, index, attempt, acceptedAt: NOW };
      flow.keepReturned("acc_1/4", returned, { isServerBusy: true });
    }
    assert.equal(await round(), 0, "its server takes no more");
    flow.end({ messageId: messageIdOf(SEND._id, 0), attempt });
    world.due = world.due.slice(1);
    assert.equal(await round(), 2);
    assert.deepEqual(dispatched(), next);
  });
}

test("dispatchRound() leaves the places of attempts that another worker makes to others, and looks again later", async () => {
  const { world, round, dispatched } = openDue(
    Array.from({ length: 15 }, (_, index) => dueOf(index)),
  );
  const inProgress = { register: { by: "a mailer", dot: true as const }, isOver: false };
  for (let index = 0; index < 10; index++) {
    world.registers.set(`${dueOf(index)._id}/2`, inProgress);
  }
  assert.equal(await round(), 0);
  assert.equal(await round(), 5);
  assert.deepEqual(dispatched(), [10, 11, 12, 13, 14]);
  world.registers.clear();
  world.due = world.due.slice(0, 10);
  assert.equal(await round(), 0);
  world.now += PATIENCE_MS;
  assert.equal(await round(), 10);
});

test("dispatchRound() dispatches messages that waited for their integration with bulk priority", async () => {
  const stopped = { ...dueOf(1), waitsFor: "acc_1/4" };
  const { round, world } = openDue([dueOf(0), stopped], {
    sends: {
      heads: () => Promise.resolve([{ ...SEND, priority: "transactional" }]),
    },
  });
  await round();
  assert.deepEqual(
    world.published.map(({ type, data }) => type === "send.resumed" && [data.priority, data.again]),
    [
      ["transactional", [{ index: 0, attempt: 1 }]],
      ["bulk", [{ index: 1, attempt: 1 }]],
    ],
  );
});

test("dispatchRound() dispatches to a fallback what its own integration was not offered", async () => {
  const due = [
    dueOf(0),
    { ...dueOf(1), unreached: 4 },
    { ...dueOf(2), unreached: 4, unknownAttempts: [1] },
    { ...dueOf(3), unreached: 5 },
  ];
  const { round, world, flow } = openDue(due, {
    integrations: integrationsOf({ id: 4, fallbacks: [5] }, { id: 5, fallbacks: [4] }),
  });
  assert.equal(await round(), 4);
  const routes = world.published.flatMap(({ type, data }) =>
    type === "send.resumed"
      ? data.again.map(({ index }): [number, number | undefined] => [index, data.integrationId])
      : []
  );
  assert.deepEqual(routes, [[0, undefined], [2, undefined], [3, undefined], [1, 5]]);
  assert.deepEqual([flow.inFlight("acc_1/4"), flow.inFlight("acc_1/5")], [3, 1]);
  assert.equal(await round(), 0, "they are in flight");
});

test("dispatchRound() finds what a fallback sends behind any number of messages that wait for their own", async () => {
  const other: SendHead = {
    ...SEND,
    _id: newSendId("acc_1"),
    from: { email: "other@example.com" },
  };
  const hidden = { ...dueOf(0), from: "shop@example.com" };
  const waiting = Array.from({ length: 1000 }, (_, index) => ({
    ...{ ...dueOf(index), _id: messageIdOf(other._id, index), sendId: other._id },
    from: "other@example.com",
  }));
  const { round, dispatched } = openDue([...waiting, hidden], {
    sends: { heads: () => Promise.resolve([other, SEND]) },
    integrations: integrationsOf(STOPPED, { id: 5, senders: ["shop@example.com"] }),
  });
  assert.equal(await round(), 1);
  assert.deepEqual(dispatched(), [0]);
});

test("dispatchRound() dispatches to its own integration, if that works, what a full fallback has no room for", async () => {
  const due = Array.from({ length: 15 }, (_, index) => ({ ...dueOf(index), unreached: 4 }));
  const { round, flow } = openDue(due, {
    integrations: integrationsOf({ id: 4, fallbacks: [5] }, { id: 5 }),
  });
  assert.equal(await round(), 15);
  assert.deepEqual([flow.inFlight("acc_1/4"), flow.inFlight("acc_1/5")], [5, 10]);
});

const UNTIL_NOW = { failures: 5, reason: "refused", openUntil: NOW };

test("dispatchRound() probes a fallback whose server was unreachable with one message", async () => {
  const { round, flow } = openDue([dueOf(0), dueOf(1)], {
    integrations: integrationsOf(STOPPED, { id: 5 }),
    circuits: { list: () => Promise.resolve([{ _id: "acc_1/5", ...UNTIL_NOW }]) },
  });
  assert.equal(await round(), 1);
  assert.deepEqual([flow.inFlight("acc_1/4"), flow.inFlight("acc_1/5")], [0, 1]);
  assert.equal(await round(), 0);
});

test("dispatchRound() dispatches to any fallback that has room", async () => {
  const due = Array.from({ length: 9 }, (_, index) => ({ ...dueOf(index), unreached: 5 }));
  const { round, flow } = openDue(due, {
    integrations: integrationsOf(STOPPED, { id: 5 }, { id: 6, maxPerMinute: 1 }),
  });
  assert.equal(await round(), 9);
  assert.deepEqual([flow.inFlight("acc_1/5"), flow.inFlight("acc_1/6")], [8, 1]);
});

test("dispatchRound() does not let mail for a full fallback hide that for another", async () => {
  const from = "other@example.com";
  const other: SendHead = { ...SEND, _id: newSendId("acc_1"), from: { email: from } };
  const waiting = Array.from({ length: 400 }, (_, index) => ({
    ...{ ...dueOf(index), _id: messageIdOf(other._id, index), sendId: other._id },
    from,
  }));
  const hidden = { ...dueOf(0), from: "shop@example.com" };
  const { round, flow } = openDue([...waiting, hidden], {
    sends: { heads: () => Promise.resolve([other, SEND]) },
    integrations: integrationsOf(
      STOPPED,
      { id: 5, maxPerMinute: 1, senders: [from] },
      { id: 6, senders: ["shop@example.com"] },
    ),
  });
  assert.equal(await round(), 2);
  assert.deepEqual([flow.inFlight("acc_1/5"), flow.inFlight("acc_1/6")], [1, 1]);
});

test("dispatchRound() publishes the events of a send once if the broker refuses one of them", async () => {
  const due = [dueOf(0), { ...dueOf(1), waitsFor: "acc_1/4" }];
  const taken: unknown[] = [];
  const { round } = openDue(due, {
    sends: {
      heads: () => Promise.resolve([{ ...SEND, priority: "transactional" }]),
    },
    publish: ({ data }) => {
      if ("priority" in data && data.priority === "bulk") return Promise.reject(new Error("no"));
      return Promise.resolve(void taken.push(data));
    },
  });
  for (let rounds = 0; rounds < 3; rounds++) await assert.rejects(round());
  assert.equal(taken.length, 1);
});
