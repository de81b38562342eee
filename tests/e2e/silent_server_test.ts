/** A server that takes mail and never answers: its circuit opens, and only new mail goes elsewhere. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly, openFaultySmtp, openSmtpSink, until } from "@posthaste/kit";
import { openSystem, type System } from "./system.ts";
import { openTimeTravel } from "./time_travel.ts";

nightly("tests/e2e/failover_test.ts", "libs/delivery/_exploration/explore_test.ts");

let system: System;
before(async () => {
  system = await openSystem({
    // The pause of the circuit outlasts the test.
    settings: { mailer: { REPLY_TIMEOUT: "2s", CIRCUIT_PAUSE: "30m" } },
  });
});
after(() => system?.[Symbol.asyncDispose]());

/** As many as open a circuit. */
const FAILURES = 5;

function recipients(name: string, count: number) {
  return Array.from({ length: count }, (_, n) => ({ email: `${name}${n}@reader.example` }));
}

test("new mail of a silent server goes by the fallback, and what it may have stays with it", async () => {
  await using travel = openTimeTravel(system);
  await using silent = await openFaultySmtp({
    plan: ({ stage }) => stage === "dot" ? { do: "silence" } : undefined,
  });
  await using second = await openSmtpSink();
  const template = await system.publishEmail({ alias: "note", subject: "Note", html: "<p>Note" });
  const fallback = await system.connect(second.port);
  for (const whenUnknown of ["hold", "retry"] as const) {
    const settings = { fallbacks: [fallback], whenUnknown, maxConnections: FAILURES };
    const integration = await system.connect(silent.port, settings);
    const { id: lost } = await system.send({
      ...{ template, integration },
      to: recipients(`${whenUnknown}-lost`, FAILURES),
    });
    const { states } = await system.untilResting(lost);
    assert.deepEqual(states, { [whenUnknown === "hold" ? "unknown" : "deferred"]: FAILURES });
    const key = `${system.accountId}/${integration}`;
    await until(
      async () =>
        (await system.store.circuits.list()).some(({ _id, openUntil }) => _id === key && openUntil),
      { message: "the circuit of the silent server to open" },
    );

    const to = recipients(`${whenUnknown}-new`, 12);
    const { id } = await system.send({ template, integration, to });
    assert.deepEqual((await system.untilDone(id)).states, { sent: to.length });
    // Their retry is due, and their server still away.
    await travel.endDeferral(lost);
    await new Promise((resolve) => setTimeout(resolve, 4000));
    const { messages } = await system.get<{ messages: { id: string }[] }>(`/sends/${lost}`)
      .then(({ body }) => body);
    for (const message of messages) assert.equal((await system.message(message.id)).attempt, 1);
  }
  const sent = second.messages.flatMap(({ envelope }) => envelope.to).sort();
  assert.deepEqual(
    sent,
    ["hold", "retry"].flatMap((one) => recipients(`${one}-new`, 12))
      .map(({ email }) => email).sort(),
  );
  assert.equal(silent.records.filter(({ finalDot }) => finalDot).length, 2 * FAILURES);
});
