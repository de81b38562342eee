import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_URL, Settings } from "./settings.ts";
import { stackFileIn } from "./stack_file.ts";

test("Settings send the demonstration's token to the demonstration, and no other token", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-cli-"));
  const apiUrl = "http://127.0.0.1:1/v1";
  const parts = { mongodbUrl: "mongodb://127.0.0.1:1", natsUrl: "nats://127.0.0.1:1", apiUrl };
  const stackFile = stackFileIn(folder.path);
  const urlFor = (token: string) => {
    const env = { POSTHASTE_TOKEN: token };
    return new Settings({ env, stackFile, note: () => {} }).http({}).url;
  };
  assert.equal(urlFor("ph_demonstration"), DEFAULT_URL);
  const stack = { ...parts, token: "ph_demonstration", accountId: "acc_1" };
  await writeFile(stackFile, JSON.stringify(stack));
  assert.equal(urlFor("ph_demonstration"), apiUrl);
  assert.equal(urlFor("ph_other"), DEFAULT_URL);
});
