import assert from "node:assert/strict";
import { test } from "node:test";
import { type FlowOptions, openFlow } from "./flow.ts";

const KEY = "acc_1/1";
const BUSY = { isServerBusy: true };

function openTestFlow(options: Pick<FlowOptions, "firstWidth"> = {}) {
  const clock = { time: 0, now: () => clock.time };
  return { clock, flow: openFlow({ ...options, patienceMs: 60_000, clock }) };
}

const attemptOf = (index: number, attempt = 0) => ({
  ...{ messageId: `msg_${index}`, sendId: "snd_1", index, attempt, acceptedAt: new Date(0) },
});

test("openFlow() counts what is in flight, each attempt once, until it ends or is lost", () => {
  const { clock, flow } = openTestFlow();
  for (const index of [1, 2, 2, 3]) flow.begin(KEY, attemptOf(index));
  flow.begin("acc_1/2", attemptOf(9));
  assert.deepEqual([flow.inFlight(KEY), flow.inFlight("acc_1/2")], [3, 1]);
  flow.end(attemptOf(1));
  flow.end(attemptOf(1));
  flow.end(attemptOf(2, 1));
  assert.equal(flow.inFlight(KEY), 2);
  clock.time = 59_999;
  assert.equal(flow.inFlight(KEY), 2);
  clock.time = 60_000;
  assert.equal(flow.inFlight(KEY), 0);
});

test("end() ignores an attempt that was lost long ago", () => {
  const { clock, flow } = openTestFlow();
  for (let index = 0; index < 20; index++) flow.begin(KEY, attemptOf(index));
  clock.time = 60_000;
  assert.equal(flow.inFlight(KEY), 0);
  for (let index = 0; index < 20; index++) flow.end(attemptOf(index));
  assert.equal(flow.windowOf(KEY), 2);
});

/**
 * Simulates a server that takes `perSecond` messages a second, as far as the window allows. Returns the
 * window at the end.
 */
function run(perSecond: number, seconds: number): number {
  const { clock, flow } = openTestFlow();
  const stepMs = 200;
  const waiting: number[] = [];
  let index = 0;
  let taken = 0;
  for (let step = 1; step <= seconds * 1000 / stepMs; step++) {
    while (flow.inFlight(KEY) < flow.windowOf(KEY)) {
      flow.begin(KEY, attemptOf(index));
      waiting.push(index++);
    }
    clock.time += stepMs;
    for (; taken < perSecond * clock.time / 1000 && waiting.length > 0; taken++) {
      flow.end(attemptOf(waiting.shift() ?? 0));
    }
  }
  return flow.windowOf(KEY);
}

test("openFlow() has a window that follows the server's throughput", () => {
  assert.equal(run(0, 10), 2, "a silent server gets no more");
  const slow = run(5, 10);
  assert.ok(slow >= 15 && slow <= 20, `${slow}`);
  const quick = run(200, 10);
  assert.ok(quick >= 280 && quick <= 340, `${quick}`);
  assert.equal(run(5000, 10), 2000);
  // Within a second it is as wide as it needs to be.
  assert.ok(run(500, 1) >= 500, `${run(500, 1)}`);
});

test("openFlow() starts afresh for an integration without an outcome for ten minutes", () => {
  const { clock, flow } = openTestFlow();
  for (let index = 0; index < 20; index++) flow.begin(KEY, attemptOf(index));
  for (let index = 0; index < 20; index++) flow.end(attemptOf(index));
  assert.ok(flow.windowOf(KEY) > 10);
  clock.time = 2000;
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [0, 10]);
  clock.time = 599_999;
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [0, 10], "it took mail minutes ago");
  clock.time = 600_000;
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [0, 2]);
});

test("nextNews() waits until an attempt ends, mail is accepted, or the given time has passed", async () => {
  const { flow } = openTestFlow();
  flow.begin(KEY, attemptOf(1));
  let woken = 0;
  const waiting = flow.nextNews(60_000).then(() => woken++);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(woken, 0);
  flow.end(attemptOf(1));
  await waiting;
  await flow.nextNews(1);
  // An attempt that ends before the wait counts, too.
  flow.begin(KEY, attemptOf(2));
  flow.end(attemptOf(2));
  await flow.nextNews(60_000);
  flow.wake();
  await flow.nextNews(60_000);
  const stop = new AbortController();
  const stopped = flow.nextNews(60_000, stop.signal);
  stop.abort();
  await stopped;
  await flow.nextNews(60_000, stop.signal);
});

test("keepReturned() narrows the window to what a busy server holds, and each accepted mail widens it by one", () => {
  const { clock, flow } = openTestFlow({ firstWidth: 10 });
  for (let index = 0; index < 10; index++) flow.begin(KEY, attemptOf(index));
  for (let index = 4; index < 10; index++) flow.keepReturned(KEY, attemptOf(index), BUSY);
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [4, 4]);
  flow.end(attemptOf(0));
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [3, 5]);
  for (let index = 4; index < 10; index++) flow.begin(KEY, attemptOf(index));
  clock.time = 599_999;
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [0, 5]);
  clock.time = 600_000;
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [0, 10]);
});

/** A mailer in front of a server of 600 messages a second. */
interface Mailer {
  /** The most messages that it holds. */
  room?: number;
  /** Share of the messages that it returns, wherever they are, after ten seconds. */
  returns?: number;
  /** A message that it always returns. */
  neverTaken?: number;
}

/**
 * Simulates a minute in which the scheduler dispatches every 100 ms what its window allows, and messages reach the mailer
 * 200 ms later. Returns the messages that were sent and returned.
 */
function runBehindMailer({ room = Infinity, returns = 0, neverTaken }: Mailer) {
  const { clock, flow } = openTestFlow();
  const [tickMs, perTick] = [10, 6];
  const onTheWay: { index: number; arrivesAt: number }[] = [];
  const held: number[] = [];
  const counts = { sent: 0, returned: 0 };
  let next = 0;
  let arrived = 0;
  const isTaken = (index: number) => {
    const isHundredth = clock.time > 10_000 && ++arrived % 100 < returns * 100;
    return index !== neverTaken && !isHundredth && held.length < room;
  };
  for (; clock.time < 60_000; clock.time += tickMs) {
    while (clock.time % 100 === 0 && flow.inFlight(KEY) < flow.windowOf(KEY)) {
      const index = flow.returned(KEY)[0]?.index ?? next++;
      flow.begin(KEY, attemptOf(index));
      onTheWay.push({ index, arrivesAt: clock.time + 200 });
    }
    for (const index of held.splice(0, perTick)) {
      flow.end(attemptOf(index));
      counts.sent++;
    }
    // Those of one dispatch arrive one after the other.
    for (let n = 0; n < 2 * perTick && (onTheWay[0]?.arrivesAt ?? Infinity) <= clock.time; n++) {
      const { index } = onTheWay.shift() ?? { index: 0 };
      if (isTaken(index)) {
        held.push(index);
      } else {
        flow.keepReturned(KEY, attemptOf(index), BUSY);
        counts.returned++;
      }
    }
  }
  return counts;
}

test("keepReturned() lets few messages come back from a mailer that holds less than the window", () => {
  for (const room of [40, 200, 400]) {
    const { sent, returned } = runBehindMailer({ room });
    assert.ok(sent > 0.9 * 36_000, `${room}: ${sent} sent`);
    assert.ok(returned < sent / 10, `${room}: ${sent} sent, ${returned} returned`);
  }
});

test("keepReturned() lets a window grow by one up to half of the width that was too wide, and then slowly", () => {
  const { flow } = openTestFlow();
  for (let index = 0; index < 400; index++) flow.begin(KEY, attemptOf(index));
  flow.keepReturned(KEY, attemptOf(0), BUSY);
  for (let index = 1; index < 400; index++) flow.end(attemptOf(index));
  // Mail of the api fills the mailer.
  flow.keepReturned(KEY, attemptOf(400), BUSY);
  let next = 401;
  const windowAfter = (ended: number) => {
    for (const last = next + ended; next < last; next++) {
      flow.begin(KEY, attemptOf(next));
      flow.end(attemptOf(next));
    }
    return flow.windowOf(KEY);
  };
  assert.deepEqual([0, 100, 99, 16, 160].map(windowAfter), [1, 101, 200, 201, 211]);
});

test("keepReturned() leaves the others their window if a few messages come back", () => {
  for (const mailer of [{ returns: 0.01 }, { returns: 0.03 }, { neverTaken: 5000 }]) {
    const { sent } = runBehindMailer(mailer);
    assert.ok(sent > 0.9 * 36_000, `${JSON.stringify(mailer)}: ${sent} sent`);
  }
});

test("keepReturned() does not pause a server that has just taken other messages", () => {
  const { flow } = openTestFlow();
  for (let index = 0; index < 10; index++) flow.begin(KEY, attemptOf(index));
  for (let index = 0; index < 9; index++) flow.end(attemptOf(index));
  flow.keepReturned(KEY, attemptOf(9), BUSY);
  assert.equal(flow.windowOf(KEY), 9);
});

test("keepReturned() wakes the scheduler and leaves the window if the server is not busy", async () => {
  const { flow } = openTestFlow();
  const window = flow.windowOf(KEY);
  for (let index = 0; index < 40; index++) {
    flow.keepReturned(KEY, attemptOf(index), { isServerBusy: false });
  }
  await flow.nextNews(60_000);
  assert.equal(flow.windowOf(KEY), window);
  assert.equal(flow.returned(KEY).length, 40);
  assert.equal(flow.inFlight(KEY), 0);
});

test("keepReturned() retries one message after all were returned, ever later", () => {
  const { clock, flow } = openTestFlow();
  const pauses: number[] = [];
  for (let index = 0; index < 8; index++) {
    const since = clock.time;
    while (flow.windowOf(KEY) === 0) clock.time += 1000;
    pauses.push((clock.time - since) / 1000);
    flow.begin(KEY, attemptOf(index));
    flow.keepReturned(KEY, attemptOf(index), BUSY);
  }
  assert.deepEqual(pauses, [0, 2, 4, 8, 15, 15, 15, 15]);
  while (flow.windowOf(KEY) === 0) clock.time += 1000;
  flow.begin(KEY, attemptOf(9));
  flow.end(attemptOf(9));
  assert.equal(flow.windowOf(KEY), 1);
  // A server that accepted one is trusted again: the pause is as short as at first.
  flow.begin(KEY, attemptOf(10));
  flow.keepReturned(KEY, attemptOf(10), BUSY);
  clock.time += 1999;
  assert.equal(flow.windowOf(KEY), 0);
  clock.time += 1;
  assert.equal(flow.windowOf(KEY), 1);
});

test("keepReturned() ends the pause of a closed window in time, although what the api dispatched comes back", () => {
  const { clock, flow } = openTestFlow();
  flow.begin(KEY, attemptOf(1));
  flow.keepReturned(KEY, attemptOf(1), BUSY);
  for (let index = 2; index < 6; index++) {
    assert.equal(flow.windowOf(KEY), 0);
    clock.time += 500;
    flow.keepReturned(KEY, attemptOf(index), BUSY);
  }
  assert.equal(flow.windowOf(KEY), 1);
});

test("keepReturned() keeps an attempt and its integration until it begins again or has ended", () => {
  const { clock, flow } = openTestFlow();
  for (const index of [1, 2, 3]) {
    flow.begin(KEY, attemptOf(index));
    flow.keepReturned(KEY, attemptOf(index), BUSY);
  }
  assert.equal(flow.inFlight(KEY), 0);
  clock.time = 3_600_000;
  const waiting = () => flow.returned(KEY).map(({ index }) => index);
  assert.deepEqual([flow.inFlight(KEY), waiting()], [0, [1, 2, 3]]);
  assert.deepEqual([flow.knows(attemptOf(2)), flow.knows(attemptOf(2, 1))], [true, false]);
  flow.begin(KEY, attemptOf(1));
  flow.end(attemptOf(2));
  assert.deepEqual([waiting(), flow.integrationsReturned()], [[3], [KEY]]);
  flow.end(attemptOf(3));
  assert.deepEqual([waiting(), flow.integrationsReturned()], [[], []]);
  assert.equal(flow.knows(attemptOf(3)), false);
});

test("keepReturned() keeps no later attempt, but narrows the window by it", () => {
  const { flow } = openTestFlow({ firstWidth: 10 });
  for (let index = 0; index < 10; index++) flow.begin(KEY, attemptOf(index, 1));
  flow.keepReturned(KEY, attemptOf(9, 1), BUSY);
  assert.deepEqual([flow.returned(KEY), flow.knows(attemptOf(9, 1))], [[], false]);
  assert.deepEqual([flow.inFlight(KEY), flow.windowOf(KEY)], [9, 9]);
});

test("keepReturned() retries one message immediately if the api dispatched the returned ones", () => {
  const { flow } = openTestFlow();
  for (const index of [1, 2, 3]) flow.keepReturned(KEY, attemptOf(index), BUSY);
  assert.equal(flow.windowOf(KEY), 1);
  flow.begin(KEY, attemptOf(1));
  flow.keepReturned(KEY, attemptOf(1), BUSY);
  assert.equal(flow.windowOf(KEY), 0);
});

test("keepReturned() lets the window double with each round again if the api dispatched the returned ones", () => {
  const { clock, flow } = openTestFlow();
  for (let index = 0; index < 600; index++) flow.keepReturned(KEY, attemptOf(index), BUSY);
  // The first one comes back, too: the mail of the api still fills the mailer.
  flow.begin(KEY, attemptOf(0));
  flow.keepReturned(KEY, attemptOf(0), BUSY);
  clock.time += 2000;
  let rounds = 0;
  for (; flow.returned(KEY).length > 0; rounds++) {
    const round = flow.returned(KEY).slice(0, flow.windowOf(KEY));
    for (const attempt of round) flow.begin(KEY, attempt);
    clock.time += 200;
    for (const attempt of round) flow.end(attempt);
  }
  assert.equal(rounds, 11);
});

test("postpone() frees the place of an attempt, and holds it until its time", () => {
  const { clock, flow } = openTestFlow();
  for (const index of [1, 2]) flow.begin(KEY, attemptOf(index));
  flow.postpone(attemptOf(1), 2000);
  assert.equal(flow.inFlight(KEY), 1);
  clock.time = 1999;
  assert.equal(flow.knows(attemptOf(1)), true);
  clock.time = 2000;
  assert.equal(flow.knows(attemptOf(1)), false);
});

test("postponedSends() names a send when 50 of its messages wait, until one may go", () => {
  const { clock, flow } = openTestFlow();
  const postpone = (index: number, ms: number) =>
    flow.postpone(attemptOf(index), ms, { accountId: "acc_1", sendId: "snd_1" });
  for (let index = 0; index < 49; index++) postpone(index, 5000);
  assert.deepEqual(flow.postponedSends("acc_1"), []);
  postpone(49, 2000);
  assert.deepEqual([flow.postponedSends("acc_1"), flow.postponedSends("acc_2")], [["snd_1"], []]);
  clock.time = 2000;
  assert.deepEqual(flow.postponedSends("acc_1"), []);
  flow.begin(KEY, attemptOf(0));
  postpone(50, 2000);
  assert.deepEqual(flow.postponedSends("acc_1"), []);
});

test("begin() moves an attempt from the integration where it was in flight", () => {
  const { flow } = openTestFlow();
  flow.begin(KEY, attemptOf(1));
  flow.begin("acc_1/2", attemptOf(1));
  assert.deepEqual([flow.inFlight(KEY), flow.inFlight("acc_1/2")], [0, 1]);
});
