import assert from "node:assert/strict";
import { test } from "node:test";
import { readNetworks } from "./networks.ts";

test("has() finds an address in a network, however it is written", () => {
  const networks = readNetworks(["10.1.0.0/16", "::1", "fd00::/8", "127.0.0.1"]);
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "::1", "0:0::0001", "fd12::1"]) {
    assert.ok(networks.has(address), address);
  }
  for (const address of ["10.2.0.1", "::2", "127.0.0.2", "fc00::1", "localhost", ""]) {
    assert.ok(!networks.has(address), address);
  }
  assert.ok(!readNetworks([]).has("10.1.2.3"));
});

test("readNetworks() refuses a text that is no network", () => {
  for (const text of ["10.1", "10.1.0.0/33", "::/129", "localhost", "10.0.0.0/8/8", "10.0.0.0/"]) {
    assert.throws(() => readNetworks([text]), RangeError, text);
  }
});
