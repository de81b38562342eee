import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { nightly, openFaultySmtp, takesLong, until } from "@posthaste/kit";
import { joinSystem } from "./shared_system.ts";

nightly("services/tracker/requeue_returned_test.ts", "libs/storage/blocked_integrations_test.ts");
takesLong();

test("small sends to a server that is slower than they arrive are sent once each, and new ones wait behind", async () => {
  // Four a second. The budget of small sends lets a burst of 200 through.
  await using slow = await openFaultySmtp({
    plan: ({ stage }) => stage === "dot" ? { do: "delay", ms: 500 } : undefined,
  });
  await using system = await joinSystem();
  const integration = await system.connect(slow.port, { maxConnections: 2 });
  const template = await system.publishEmail({ subject: "Slow", html: "<p>Slow" });
  const send = (email: string) => system.send({ template, integration, to: [{ email }] });
  const arrived = () => slow.records.flatMap(({ to }) => to);

  await Promise.all(Array.from({ length: 180 }, (_, n) => send(`early-${n}@slow.example`)));
  const key = `${system.accountId}/${integration}`;
  await until(async () => (await system.store.integrations.listBlocked(new Date())).has(key), {
    message: "new mail to wait behind",
  });
  const waited = arrived().length;
  assert.ok(waited < 170, `${waited} of 180 had arrived`);
  // An api that accepts nothing looks every ten seconds.
  await delay(11_000);
  await Promise.all(Array.from({ length: 10 }, (_, n) => send(`late-${n}@slow.example`)));
  await until(() => slow.counts.accepted >= 190, { timeoutMs: 180_000, message: "all mail" });
  assert.equal(new Set(arrived()).size, 190);
  const first = arrived().findIndex((email) => email.startsWith("late"));
  assert.ok(first >= 165, `a new mail was the ${first + 1}. of 190`);
});
