import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { STORES, STREAMS } from "@posthaste/messaging";
import { databaseRightsFile } from "./database_rights_file.ts";
import { natsAccounts } from "./nats_accounts.ts";
import { prometheusRule } from "./prometheus_rule.ts";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

test("the broker's users have the rights in libs/runtime/permissions.ts", async () => {
  assert.equal(await read("components/nats/accounts.conf"), natsAccounts());
});

test("the database's users have the rights in libs/runtime/permissions.ts", async () => {
  const text = await read("components/mongodb/rights.json");
  assert.equal(text, databaseRightsFile());
  // It reports how full the disk is, as with npm start.
  assert.deepEqual(JSON.parse(text).rights.tracker[""], ["dbStats"]);
});

test("the cluster's alerts are those of deploy/observability/alerts.yaml", async () => {
  assert.equal(await read("../observability/prometheus_rule.yaml"), await prometheusRule());
});

test("the broker's streams fit into its storage limit, and that into its volume", async () => {
  const conf = await read("components/nats/nats.conf");
  const manifest = await read("components/nats/nats.yaml");
  const maxFile = 1000 ** 3 * Number(/max_file_store: (\d+)GB/.exec(conf)?.[1]);
  const maxMemory = 1000 ** 2 * Number(/max_memory_store: (\d+)MB/.exec(conf)?.[1]);
  const volume = 1024 ** 3 * Number(/storage: (\d+)Gi/.exec(manifest)?.[1]);
  const sum = (plans: { maxBytes: number }[]) =>
    plans.reduce((all, plan) => all + plan.maxBytes, 0);
  const onDisk = sum(STREAMS.filter(({ storage }) => storage === "file")) + sum(STORES);
  assert.ok(onDisk < maxFile && maxFile < 0.8 * volume, `${onDisk} < ${maxFile} < 0.8 × ${volume}`);
  assert.ok(sum(STREAMS.filter(({ storage }) => storage === "memory")) < maxMemory);
});
