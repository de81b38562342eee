import { type Integration, messageIdOf, newSendId } from "@posthaste/contracts";
import type { Outgoing, StatusEvent } from "@posthaste/messaging";
import type { IntegrationCircuit, WaitingSend } from "@posthaste/storage";
import { type Changes, openMemoryLedger, withChanges } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { identifyAll } from "./_test_identify.ts";
import { dispatchRound, type RoundDeps } from "./dispatch_round.ts";
import { openFlow } from "./flow.ts";
import { noteNews } from "./note_news.ts";
import { startScheduled } from "./schedule_sends.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;
const OPEN = { suspended: null, maxPerMinute: null, retryForMs: 48 * HOUR } as Integration;
const SUSPENDED = { ...OPEN, suspended: { at: NOW, reason: "no login" } };

function waitingSend(changes: Partial<WaitingSend> = {}): WaitingSend {
  return {
    _id: newSendId("acc_1"),
    accountId: "acc_1",
    acceptedAt: NOW,
    priority: "bulk",
    template: { id: 1, version: 2 },
    pdfVersions: {},
    integrationId: 4,
    from: { email: "shop@example.com" },
    messageCount: 100,
    next: 0,
    waitsFor: "acc_1/4",
    settledAt: null,
    reconcileAt: NOW,
    ...changes,
  };
}

function openScheduler(sends: WaitingSend[], changes: Changes<RoundDeps> = {}) {
  const published: Outgoing[] = [];
  const order: string[] = [];
  const flow = openFlow({ patienceMs: 60_000, firstWidth: 10, clock: { now: () => 0 } });
  const waits = (send: WaitingSend) => send.next < send.messageCount;
  /** `<message>/<number>` of attempts that have a register. */
  const taken = new Set<string>();
  const register = { register: { by: "a person", dot: true as const }, isOver: false };
  const deps = withChanges<RoundDeps>({
    registers: {
      ledgerOf: openMemoryLedger().registers.ledgerOf,
      find: (attempts) => {
        const ids = attempts.map(({ messageId, n }) => `${messageId}/${n}`);
        return Promise.resolve(
          new Map(ids.filter((id) => taken.has(id)).map((id) => [id, register])),
        );
      },
    },
    waiting: {
      integrationsWaitedFor: () =>
        Promise.resolve([
          ...new Set(sends.filter(waits).map((send) => `${send.accountId}/${send.integrationId}`)),
        ]),
      startSends: () => Promise.resolve(0),
      integrationsDue: () => Promise.resolve([]),
      dueMessages: () => Promise.resolve([]),
      listSends: (key, { limit, senders, except = [] }) =>
        Promise.resolve(
          sends.filter((send) => waits(send) && send.waitsFor === key)
            .filter(({ from }) => senders?.includes(from.email) ?? true)
            .filter(({ _id }) => !except.includes(_id)).slice(0, limit)
            .map((send) => ({ ...send })),
        ),
      advanceSend: ({ _id, next }, to) => {
        const send = sends.find((one) => one._id === _id);
        if (send?.next !== next) return Promise.resolve(false);
        send.next = to;
        order.push(`advance to ${to}`);
        return Promise.resolve(true);
      },
    },
    sends: {
      heads: (ids) => Promise.resolve(sends.filter(({ _id }) => ids.includes(_id))),
      identify: identifyAll(NOW),
    },
    circuits: {
      list: () => Promise.resolve([]),
    },
    integrations: {
      find: () => Promise.resolve(OPEN),
    },
    publish: (outgoing) => {
      order.push("publish");
      published.push(outgoing);
      return Promise.resolve();
    },
    patienceMs: 60_000,
    now: () => NOW,
  }, changes);
  const indexes = () =>
    published.splice(0).flatMap(({ type, data }) =>
      type === "send.resumed" ? data.again.map(({ index }) => index) : []
    );
  /** Runs one round. Returns how many messages it dispatched. */
  async function run(): Promise<number> {
    const before = published.length;
    await dispatchRound(deps, { flow, due: [] });
    return published.slice(before).reduce(
      (sum, { type, data }) => sum + (type === "send.resumed" ? data.again.length : 0),
      0,
    );
  }
  return { deps, flow, published, order, indexes, taken, run };
}

const upTo = (count: number, from = 0) =>
  Array.from({ length: count - from }, (_, position) => from + position);

function sent(send: WaitingSend, index: number): StatusEvent {
  const messageId = messageIdOf(send._id, index);
  return {
    type: "status.message.sent",
    data: {
      ...{ v: 2, messageId, sendId: send._id, accountId: "acc_1", index, attempt: 1 },
      ...{ at: NOW.toISOString(), reply: { code: 250 } },
    },
  };
}

test("dispatchRound() dispatches up to the window's capacity, and more as messages end", async () => {
  const send = waitingSend();
  const { flow, run, indexes, order } = openScheduler([send]);
  assert.equal(await run(), 10);
  assert.deepEqual(order, ["advance to 10", "publish"]);
  assert.deepEqual(indexes(), upTo(10));
  assert.equal(await run(), 0);
  noteNews(flow, [0, 1, 2].map((index) => sent(send, index)));
  const more = await run();
  assert.ok(more >= 3);
  assert.deepEqual(indexes(), upTo(10 + more, 10));
});

test("dispatchRound() makes events of no more than 25 recipients, in the trace of their send", async () => {
  const send = waitingSend({ trace: "00-a-b-01" });
  const traces: unknown[] = [];
  const { flow, run, published } = openScheduler([send], {
    publish: (outgoing, trace) => {
      published.push(outgoing);
      traces.push(trace);
      return Promise.resolve();
    },
  });
  flow.begin("acc_1/4", { messageId: "msg_a", attempt: 0 });
  for (let end = 0; end < 30; end++) {
    flow.begin("acc_1/4", { messageId: `msg_${end}`, attempt: 0 });
    flow.end({ messageId: `msg_${end}`, attempt: 0 });
  }
  await run();
  assert.deepEqual(
    published.map((event) => event.type === "send.resumed" && event.data.again.length),
    [25, 25, 25, 25],
  );
  assert.deepEqual(traces, Array(4).fill("00-a-b-01"));
});

test("dispatchRound() dispatches nothing for suspended integrations, and one probe after a pause", async () => {
  for (const findIntegration of [() => Promise.resolve(SUSPENDED)]) {
    assert.equal(
      await openScheduler([waitingSend()], {
        integrations: {
          find: findIntegration,
        },
      }).run(),
      0,
    );
  }
  const until = (ms: number): IntegrationCircuit => ({
    ...{ _id: "acc_1/4", failures: 5, reason: "refused" },
    openUntil: new Date(NOW.getTime() + ms),
  });
  for (const [ms, count] of [[1, 0], [0, 1]] as const) {
    const listCircuits = () => Promise.resolve([until(ms)]);
    const { run } = openScheduler([waitingSend()], {
      circuits: {
        list: listCircuits,
      },
    });
    assert.deepEqual([await run(), await run()], [count, 0]);
  }
});

test("dispatchRound() begins with one message and two seconds' worth of a rate a minute", async () => {
  for (const [maxPerMinute, count] of [[1, 1], [60, 3], [240, 9], [300, 10]] as const) {
    const findIntegration = () => Promise.resolve({ ...OPEN, maxPerMinute });
    assert.equal(
      await openScheduler([waitingSend()], {
        integrations: {
          find: findIntegration,
        },
      }).run(),
      count,
    );
  }
});

test("dispatchRound() dispatches the mail of each integration beside that of others", async () => {
  const [one, other] = [waitingSend(), waitingSend({ integrationId: 5, waitsFor: "acc_1/5" })];
  assert.equal(await openScheduler([one, other]).run(), 20);
});

test("dispatchRound() leaves messages that another leader has dispatched to it", async () => {
  const { run, published } = openScheduler([waitingSend()], {
    waiting: {
      advanceSend: () => Promise.resolve(false),
    },
  });
  assert.equal(await run(), 0);
  assert.deepEqual(published, []);
});

test("startScheduled() starts scheduled sends, which dispatchRound() then dispatches", async () => {
  const acceptedAt = new Date(NOW.getTime() - 90 * 24 * HOUR);
  const notBefore = new Date(NOW.getTime() - 1);
  const sends: WaitingSend[] = [];
  const { deps, run } = openScheduler(sends, {
    waiting: {
      startSends: ({ now, reconcileAt }) => {
        assert.deepEqual([now, reconcileAt], [NOW, new Date(NOW.getTime() + 60_000)]);
        sends.push(waitingSend({ acceptedAt, notBefore, messageCount: 5 }));
        return Promise.resolve(1);
      },
    },
  });
  await startScheduled(deps);
  assert.equal(await run(), 5);
});

function returned(send: WaitingSend, index: number): StatusEvent {
  const messageId = messageIdOf(send._id, index);
  const acceptedAt = send.acceptedAt.toISOString();
  return {
    type: "status.message.returned",
    data: {
      ...{ messageId, sendId: send._id, accountId: "acc_1", index, attempt: 0, integrationId: 4 },
      ...{ at: NOW.toISOString(), acceptedAt },
    },
  };
}

test("dispatchRound() dispatches returned attempts before the rest, when there is capacity", async () => {
  const send = waitingSend();
  const { flow, run, indexes, published } = openScheduler([send]);
  await run();
  indexes();
  noteNews(flow, [returned(send, 8), returned(send, 9)]);
  assert.equal(await run(), 0, "its server takes no more");
  noteNews(flow, upTo(3).map((index) => sent(send, index)));
  assert.ok(await run() > 2);
  const [again, next] = published;
  assert.deepEqual(again?.type === "send.resumed" && again.data, {
    ...{ v: 2, sendId: send._id, accountId: "acc_1", priority: "bulk", redelivered: true },
    again: [{ index: 8, attempt: 0 }, { index: 9, attempt: 0 }],
  });
  assert.equal(next?.type === "send.resumed" && next.data.again[0]?.index, 10);
});

test("dispatchRound() forgets returned attempts of a send that was removed", async () => {
  const { flow, run, published } = openScheduler([]);
  const send = waitingSend();
  noteNews(flow, [returned(send, 0)]);
  await run();
  assert.deepEqual([published, flow.integrationsReturned()], [[], []]);
});

test("dispatchRound() leaves out returned attempts that were canceled, and dispatches those behind them", async () => {
  const send = waitingSend({ messageCount: 40, next: 40 });
  const { flow, run, indexes, taken } = openScheduler([send]);
  noteNews(flow, upTo(40).map((index) => returned(send, index)));
  for (const index of upTo(30)) taken.add(`${messageIdOf(send._id, index)}/1`);
  assert.equal(await run(), 1, "one message shows whether its server takes mail");
  assert.deepEqual(indexes(), [30]);
  assert.deepEqual(flow.returned("acc_1/4").map(({ index }) => index), upTo(40, 31));
});

test("dispatchRound() keeps what came back if the broker refuses it", async () => {
  const send = waitingSend({ messageCount: 1, next: 1 });
  const { flow, run } = openScheduler([send], {
    publish: () => Promise.reject(new Error("refused")),
  });
  noteNews(flow, [returned(send, 0)]);
  await assert.rejects(run(), /refused/);
  assert.deepEqual(flow.returned("acc_1/4").map(({ index }) => index), [0]);
  assert.equal(flow.inFlight("acc_1/4"), 0);
});

test("dispatchRound() passes over messages of a waiting send that were canceled", async () => {
  const send = waitingSend({ messageCount: 30 });
  const { flow, run, indexes, taken } = openScheduler([send]);
  for (const index of upTo(25)) taken.add(`${messageIdOf(send._id, index)}/1`);
  for (let round = 0; round < 3; round++) await run();
  assert.deepEqual(indexes(), upTo(30, 25));
  assert.equal(flow.inFlight("acc_1/4"), 5);
});

test("dispatchRound() reads nothing of an integration whose window is full", async () => {
  let asked = 0;
  const { flow, deps } = openScheduler([waitingSend()], {
    integrations: {
      find: () => {
        asked++;
        return Promise.resolve(OPEN);
      },
    },
  });
  for (let round = 0; round < 3; round++) await dispatchRound(deps, { flow, due: [] });
  assert.deepEqual([flow.inFlight("acc_1/4"), asked], [10, 1]);
});

test("dispatchRound() dispatches the other integrations when one fails", async () => {
  const [failing, slow] = [
    waitingSend({ messageCount: 1 }),
    waitingSend({ messageCount: 1, integrationId: 5, waitsFor: "acc_1/5" }),
  ];
  let ended = 0;
  const { run } = openScheduler([failing, slow], {
    publish: async (outgoing) => {
      const { sendId } = outgoing.data as { sendId: string };
      if (sendId === failing._id) throw new Error("the broker is away");
      await new Promise((resolve) => setTimeout(resolve, 5));
      ended++;
    },
  });
  await assert.rejects(run(), /the broker is away/);
  assert.equal(ended, 1);
});

/** Integrations 4, which falls back to 5, and 5. */
function pair(own: Partial<Integration> = {}, other: Partial<Integration> = {}) {
  const shared = { ...OPEN, senders: ["shop@example.com"], archivedAt: null };
  const integrations = new Map([
    [4, { ...shared, _id: "acc_1/4", id: 4, fallbacks: [5], ...own }],
    [5, { ...shared, _id: "acc_1/5", id: 5, fallbacks: [], ...other }],
  ]);
  return { find: (_: string, id: number) => Promise.resolve(integrations.get(id) ?? null) };
}

function routesIn(published: readonly Outgoing[]): [integration: number | undefined, n: number][] {
  return published.flatMap(({ type, data }) =>
    type === "send.resumed" ? [[data.integrationId, data.again.length]] : []
  );
}

test("dispatchRound() dispatches the mail of a suspended integration to its fallback, within its window", async () => {
  const { run, published, flow } = openScheduler([waitingSend()], {
    integrations: pair({ suspended: { at: NOW, reason: "no login", kind: "refused" } }),
  });
  assert.equal(await run(), 10);
  assert.deepEqual(routesIn(published), [[5, 10]]);
  assert.deepEqual([flow.inFlight("acc_1/4"), flow.inFlight("acc_1/5")], [0, 10]);
  assert.equal(await run(), 0);
});

test("dispatchRound() keeps mail of a paused integration, and of a sender that the fallback has not", async () => {
  const suspended = { at: NOW, reason: "no login" };
  const integrations = [
    pair({ suspended: { ...suspended, kind: "person" } }),
    pair({ suspended }, { senders: ["other@example.com"] }),
    pair({ suspended }, { suspended }),
  ];
  for (const found of integrations) {
    const { run, published } = openScheduler([waitingSend()], { integrations: found });
    await run();
    assert.deepEqual(published, []);
  }
});

test("dispatchRound() finds mail that a fallback takes behind hundreds that none takes", async () => {
  const held = Array.from(
    { length: 200 },
    () => waitingSend({ messageCount: 1, from: { email: "held@example.com" } }),
  );
  const { run, published } = openScheduler([...held, waitingSend({ messageCount: 1 })], {
    integrations: pair({ suspended: { at: NOW, reason: "no login", kind: "refused" } }),
  });
  assert.equal(await run(), 1);
  assert.deepEqual(routesIn(published), [[5, 1]]);
});

test("dispatchRound() gives each fallback its own mail, however much waits for another", async () => {
  const shared = { ...OPEN, archivedAt: null, fallbacks: [] as number[], senders: [] as string[] };
  const integrations = new Map([
    [4, { ...shared, ...SUSPENDED, _id: "acc_1/4", id: 4, fallbacks: [5, 6] }],
    [5, { ...shared, _id: "acc_1/5", id: 5, senders: ["a@example.com"] }],
    [6, { ...shared, _id: "acc_1/6", id: 6, senders: ["b@example.com"] }],
  ]);
  const from = (email: string) => waitingSend({ messageCount: 1, from: { email } });
  const sends = [...upTo(60).map(() => from("a@example.com")), from("b@example.com")];
  const { run, published } = openScheduler(sends, {
    integrations: {
      find: (_, id) => Promise.resolve(integrations.get(id) ?? null),
    },
  });
  assert.equal(await run(), 11);
  assert.deepEqual(routesIn(published).filter(([id]) => id === 6), [[6, 1]]);
});

test("dispatchRound() keeps the window of a fallback that several integrations share", async () => {
  const shared = { ...OPEN, archivedAt: null, senders: ["shop@example.com"] };
  const ids = [11, 12, 13];
  const integrations = new Map(
    [5, ...ids].map((id) => [id, {
      ...{ ...shared, _id: `acc_1/${id}`, id, fallbacks: id === 5 ? [] : [5] },
      ...(id === 5 ? {} : { suspended: SUSPENDED.suspended }),
    }]),
  );
  const sends = ids.map((id) => waitingSend({ integrationId: id, waitsFor: `acc_1/${id}` }));
  const { run, flow } = openScheduler(sends, {
    integrations: { find: (_, id) => Promise.resolve(integrations.get(id) ?? null) },
  });
  assert.equal(await run(), 10);
  assert.equal(flow.inFlight("acc_1/5"), 10);
});

test("dispatchRound() dispatches to the second fallback what the first has no room for", async () => {
  const shared = {
    ...OPEN,
    archivedAt: null,
    senders: ["shop@example.com"],
    fallbacks: [] as number[],
  };
  const integrations = new Map([
    [4, { ...shared, ...SUSPENDED, _id: "acc_1/4", id: 4, fallbacks: [5, 6] }],
    [5, { ...shared, _id: "acc_1/5", id: 5, maxPerMinute: 1 }],
    [6, { ...shared, _id: "acc_1/6", id: 6 }],
  ]);
  const sends = upTo(4).map(() => waitingSend({ messageCount: 1 }));
  const { run, flow } = openScheduler(sends, {
    integrations: { find: (_, id) => Promise.resolve(integrations.get(id) ?? null) },
  });
  while (await run());
  assert.deepEqual([flow.inFlight("acc_1/5"), flow.inFlight("acc_1/6")], [1, 3]);
});

test("dispatchRound() sends one mail as a probe to a server that may be back, and the rest to the fallback", async () => {
  const circuit = { _id: "acc_1/4", failures: 5, openUntil: NOW, reason: "down" };
  const { run, published } = openScheduler([waitingSend()], {
    integrations: pair(),
    circuits: { list: () => Promise.resolve([circuit]) },
  });
  await run();
  await run();
  assert.deepEqual(routesIn(published), [[undefined, 1], [5, 10]]);
});

test("dispatchRound() chooses again for first returned attempts, and leaves later ones to the ledger", async () => {
  const send = waitingSend({ next: 100 });
  const { run, published, flow } = openScheduler([send], {
    integrations: pair({ suspended: { at: NOW, reason: "no login" } }),
  });
  const returned = (index: number, attempt: number, integrationId = 4): StatusEvent => ({
    type: "status.message.returned",
    data: {
      ...{ messageId: messageIdOf(send._id, index), sendId: send._id, accountId: "acc_1", index },
      ...{ attempt, integrationId, at: NOW.toISOString(), acceptedAt: NOW.toISOString() },
      ...(integrationId === 4 ? {} : { insteadOf: 4 }),
    },
  });
  noteNews(flow, [returned(0, 0), returned(1, 1)]);
  assert.equal(await run(), 1);
  assert.deepEqual(routesIn(published), [[5, 1]]);
  assert.equal(flow.knows({ messageId: messageIdOf(send._id, 1), attempt: 1 }), false);
  // The fallback is busy: the message waits for any of the two.
  noteNews(flow, [returned(0, 0, 5)]);
  assert.deepEqual(flow.integrationsReturned(), ["acc_1/4"]);
  assert.equal(flow.inFlight("acc_1/5"), 0);
});
