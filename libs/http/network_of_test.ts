import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf } from "./network_of.ts";

test("networkOf() returns an IPv4 address, and the first 64 bits of an IPv6 one however it is written", () => {
  assert.equal(networkOf("192.0.2.7"), "192.0.2.7");
  assert.equal(networkOf("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
  assert.equal(networkOf("2001:db8:0:0:ffff::1"), "2001:db8:0:0::/64");
  assert.equal(networkOf("2001:0db8:0000:0001:a:b:c:d"), "2001:db8:0:1::/64");
  assert.equal(networkOf("::1"), "0:0:0:0::/64");
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
});
