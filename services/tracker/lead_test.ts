import { until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { lead } from "./lead.ts";

test("lead() runs the work while it holds the lease, and ends it with the lease and with the signal", async () => {
  const stop = new AbortController();
  const events: string[] = [];
  let answer: boolean | Error = false;
  const leading = lead(
    {
      renew: () => answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer),
    },
    { signal: stop.signal, everyMs: 5 },
    async (signal) => {
      events.push("begin");
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      events.push("end");
    },
  );
  answer = true;
  await until(() => events.length === 1);
  answer = new Error("the ledger is away");
  await until(() => events.length === 2);
  answer = true;
  await until(() => events.length === 3);
  stop.abort();
  await leading;
  assert.deepEqual(events, ["begin", "end", "begin", "end"]);
});
