import { messageIdOf, newSendId } from "@posthaste/contracts";
import type { Outgoing } from "@posthaste/messaging";
import type { DueMessage, SendHead } from "@posthaste/storage";
import { openMemoryLedger } from "@posthaste/testing";
import assert from "node:assert/strict";
import { test } from "node:test";
import { dispatchDue, type DueDeps, type InFlight } from "./dispatch_due.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const PATIENCE_MS = 60_000;
const SEND: SendHead = {
  _id: newSendId(),
  accountId: "acc_1",
  acceptedAt: NOW,
  lane: "bulk",
  template: { id: 1, version: 2 },
  pdfVersions: {},
  integrationId: 4,
  from: { email: "shop@example.com" },
  messageCount: 9,
  settledAt: null,
  sweepAt: NOW,
};

function dueOf(index: number, attempt = 1): DueMessage {
  const { _id: sendId, accountId } = SEND;
  return { _id: messageIdOf(sendId, index), sendId, accountId, index, attempt };
}

type Registers = Awaited<ReturnType<DueDeps["findRegisters"]>>;

function openRound(due: DueMessage[], changes: Partial<DueDeps> = {}) {
  const ledger = openMemoryLedger();
  const world = { due, now: 0, published: [] as Outgoing[], registers: new Map() as Registers };
  const inFlight: InFlight = new Map();
  const deps: DueDeps = {
    ledgerOf: ledger.ledgerOf,
    findRegisters: (attempts) => {
      const wanted = attempts.map(({ messageId, n }) => `${messageId}/${n}`);
      return Promise.resolve(new Map([...world.registers].filter(([id]) => wanted.includes(id))));
    },
    integrationsDue: () => Promise.resolve(world.due.length > 0 ? ["acc_1/4"] : []),
    dueMessages: () => Promise.resolve(world.due),
    sendHeads: (ids) => Promise.resolve(ids.includes(SEND._id) ? [SEND] : []),
    findRecipients: () => {
      const emails = Array.from({ length: 9 }, (_, index) => `r${index}@example.com`);
      const recipients = { accountId: "acc_1", acceptedAt: NOW, integrationId: 4, emails };
      return Promise.resolve(new Map([[SEND._id, recipients]]));
    },
    findIntegration: () => Promise.resolve(null),
    publish: (outgoing) => Promise.resolve(void world.published.push(outgoing)),
    assertCurrent: () => Promise.resolve(),
    now: () => NOW,
    logger: { warn: () => {} },
    ...changes,
  };
  const clock = { now: () => world.now };
  const round = () => dispatchDue(deps, { inFlight, patienceMs: PATIENCE_MS, clock });
  const dispatched = () =>
    world.published.splice(0).flatMap((event): (number | string)[] =>
      event.type === "send.resumed" ? event.data.again.map(({ index }) => index) : [event.type]
    );
  return { world, ledger, round, dispatched, inFlight };
}

test("dispatchDue() dispatches each attempt once, while it is in flight", async () => {
  const { world, round, dispatched } = openRound([dueOf(0), dueOf(3)]);
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

test("dispatchDue() dispatches again what is lost, by its register, and forgets what has ended", async () => {
  const { world, ledger, round, dispatched, inFlight } = openRound(
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
  assert.deepEqual(dispatched(), ["fact.message.unknown", "fact.message.failed", 0]);
  assert.deepEqual(
    ledger.written.map(({ messageId, attempt, state }) => [messageId, attempt, state]),
    [
      [messageIdOf(SEND._id, 2), 2, "unknown"],
      [messageIdOf(SEND._id, 3), 2, "canceled"],
    ],
  );
  world.now = 2 * PATIENCE_MS - 1;
  world.due = [dueOf(0), dueOf(1)];
  assert.equal(await round(), 0);
  assert.equal(inFlight.size, 2);
});

test("dispatchDue() dispatches nothing of a ledger that is older than what was done", async () => {
  const { round, dispatched } = openRound([dueOf(0)], {
    assertCurrent: () => Promise.reject(new Error("restored")),
  });
  await assert.rejects(round(), /restored/);
  assert.deepEqual(dispatched(), []);
});

test("dispatchDue() takes up again what could not be published", async () => {
  let isAway = true;
  const { round, dispatched, world } = openRound([dueOf(0)], {
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
