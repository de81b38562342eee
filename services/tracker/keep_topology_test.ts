import { openBus } from "@posthaste/messaging";
import { openTestNats, until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepTopology } from "./keep_topology.ts";

test("keepTopology() creates missing streams and ends with its signal", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await assert.rejects(bus.check());
  const stop = new AbortController();
  const warnings: string[] = [];
  const logger = { warn: (line: string) => void warnings.push(line) };
  const ended = keepTopology(bus, { signal: stop.signal, logger });
  await until(() => bus.check().then(() => true));
  stop.abort();
  await ended;
  assert.deepEqual(warnings, ["Creating missing streams"]);
});
