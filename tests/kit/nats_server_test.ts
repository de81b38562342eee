import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { openTestNats } from "./nats_server.ts";

test("openTestNats() starts a server for every test", async () => {
  await using first = await openTestNats();
  await using second = await openTestNats();
  assert.notEqual(first.port, second.port);
  assert.notEqual(first.pid, second.pid);
});

test("openTestNats() stops answering once it is disposed", async () => {
  const server = await openTestNats();
  const open = connect(server.port, "127.0.0.1");
  await once(open, "connect");
  open.destroy();
  await server[Symbol.asyncDispose]();
  await assert.rejects(once(connect(server.port, "127.0.0.1"), "connect"), {
    code: "ECONNREFUSED",
  });
});
