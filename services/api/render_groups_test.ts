import { type EventData, MAX_RENDERS, type RenderReply } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { injectTrace, startTelemetry, type TraceCarrier, withSpan } from "@posthaste/telemetry";
import { openRenderGroups, type RenderWish } from "./render_groups.ts";

type Data = EventData<"render.requested">;

/** Opens a broker that stores an event when the test allows it, with renderers that answer immediately. */
function openBroker() {
  const events: {
    data: Data;
    count: number;
    traces: readonly TraceCarrier[];
    store: () => void;
    lose: (error: Error) => void;
  }[] = [];
  const render = openRenderGroups({
    ask: (data, { count, traces }) => {
      const { promise: stored, resolve: store, reject } = Promise.withResolvers<void>();
      const { promise: lost, reject: lose } = Promise.withResolvers<never>();
      lost.catch(reject);
      events.push({ data, count, traces, store, lose });
      const all = [data.variables, ...data.others ?? []];
      const answer = ({ name }: Data["variables"]): RenderReply => ({
        ...{ ok: true, subject: `Hi ${name}`, html: "h", text: "t" },
      });
      return {
        stored,
        answers: all.map((variables) => Promise.race([lost, stored.then(() => answer(variables))])),
      };
    },
  });
  return { events, render };
}

function wishOf(name: string, version = 1): RenderWish {
  return { v: 2, accountId: "acc_1", templateId: 1, version, variables: { name } };
}

const OPTIONS = { timeoutMs: 1000 };

async function subjectOf(reply: Promise<RenderReply | undefined>): Promise<string> {
  const answer = await reply;
  return answer?.ok ? answer.subject : "none";
}

test("openRenderGroups() sends a single request immediately, and groups those that come while two are on their way", async () => {
  const { events, render } = openBroker();
  const subjects: Promise<string>[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) {
    subjects.push(subjectOf(render(wishOf(name), OPTIONS)));
    await turn();
  }
  assert.deepEqual(events.map(({ count }) => count), [1, 1]);
  assert.equal(events[0]?.data.others, undefined);
  events[0]?.store();
  await turn();
  await turn();
  assert.deepEqual(events.map(({ count }) => count), [1, 1, 3]);
  for (const { store } of events) store();
  assert.deepEqual(await Promise.all(subjects), ["Hi a", "Hi b", "Hi c", "Hi d", "Hi e"]);
});

test("openRenderGroups() asks with the trace of each request, and not with that of an earlier one", async (context) => {
  const telemetry = await startTelemetry({ service: "test", env: {} });
  context.after(() => telemetry[Symbol.asyncDispose]());
  const { events, render } = openBroker();
  const subjects: Promise<string>[] = [];
  const traces: TraceCarrier[] = [];
  for (const name of ["a", "b", "c", "d"]) {
    await withSpan("request", {}, async () => {
      traces.push(injectTrace());
      subjects.push(subjectOf(render(wishOf(name), OPTIONS)));
      await turn();
    });
  }
  events[0]?.store();
  await turn();
  await turn();
  assert.equal(new Set(traces.map(({ traceparent }) => traceparent)).size, 4);
  assert.deepEqual(events.map((event) => event.traces), [
    [traces[0]],
    [traces[1]],
    traces.slice(2),
  ]);
  for (const { store } of events) store();
  await Promise.all(subjects);
});

test("openRenderGroups() puts one version and a limited size into each event", async () => {
  const { events, render } = openBroker();
  const large = "x".repeat(300_000);
  const names = [
    ...Array.from({ length: MAX_RENDERS + 1 }, (_, index) => `${index}`),
    large,
    large,
  ];
  const all = names.map((name) => render(wishOf(name), OPTIONS));
  all.push(render(wishOf("other", 2), OPTIONS));
  for (let round = 0; round < 10; round++) {
    await turn();
    for (const { store } of events) store();
  }
  await Promise.all(all);
  const counts = events.filter(({ data }) => data.version === 1).map(({ count }) => count);
  assert.deepEqual(counts, [MAX_RENDERS, 2, 1]);
  assert.equal(events.length, 4);
});

test("openRenderGroups() fails all requests of an event that the broker refuses, and continues with the others", async () => {
  const { events, render } = openBroker();
  const lost = [render(wishOf("a"), OPTIONS), render(wishOf("b"), OPTIONS)];
  await turn();
  events[0]?.lose(new Error("away"));
  for (const each of lost) await assert.rejects(each, /away/);
  const next = render(wishOf("c"), OPTIONS);
  await turn();
  events[1]?.store();
  assert.equal(await subjectOf(next), "Hi c");
});

test("openRenderGroups() drops requests that waited too long, counted from the request on", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { events, render } = openBroker();
  for (const name of ["a", "b"]) {
    void render(wishOf(name), OPTIONS);
    await turn();
  }
  const late = render(wishOf("late"), OPTIONS);
  context.mock.timers.tick(600);
  const patient = render(wishOf("patient"), OPTIONS);
  context.mock.timers.tick(500);
  assert.equal(await late, undefined);
  for (const { store } of events) store();
  await turn();
  await turn();
  assert.deepEqual(events.slice(2).map(({ data }) => data.variables["name"]), ["patient"]);
  for (const { store } of events) store();
  assert.equal(await subjectOf(patient), "Hi patient");
});

test("openRenderGroups() fails a request that cannot be published", async () => {
  let isClosed = true;
  const render = openRenderGroups({
    ask: () => {
      if (isClosed) throw new Error("closed");
      return { answers: [Promise.resolve(undefined)], stored: Promise.resolve() };
    },
  });
  await assert.rejects(render(wishOf("a"), OPTIONS), /closed/);
  isClosed = false;
  assert.equal(await render(wishOf("b"), OPTIONS), undefined);
});

test("openRenderGroups() keeps the languages of one version apart", async () => {
  const { events, render } = openBroker();
  for (const locale of ["de", "fr", "de", "fr"]) {
    void render({ ...wishOf(locale), locale }, OPTIONS);
  }
  await turn();
  await turn();
  for (const { store } of events) store();
  assert.deepEqual(
    events.map(({ data: { locale, variables, others = [] } }) => [
      locale,
      ...[variables, ...others].map(({ name }) => name),
    ]),
    [["de", "de", "de"], ["fr", "fr", "fr"]],
  );
});
