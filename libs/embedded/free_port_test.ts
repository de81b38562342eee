import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "./free_port.ts";

test("freePort() returns no port twice, and none from the range of outgoing connections", async () => {
  const ports = await Promise.all(Array.from({ length: 300 }, () => freePort()));
  assert.equal(new Set(ports).size, 300);
  assert.ok(ports.every((port) => port >= 20_000 && port < 32_768));
});
