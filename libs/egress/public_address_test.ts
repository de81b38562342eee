import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress } from "./public_address.ts";

const SPECIAL = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1"],
  ...["127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192"],
  ...["192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1"],
  ...["240.0.0.1", "255.255.255.255", "192.88.99.1", "168.63.129.16", "::ffff:168.63.129.16"],
  ...["::", "::1", "fe80::1", "febf::1", "fc00::1", "fdff::1", "fec0::1", "ff02::1", "100::1"],
  ...["2001:db8::1", "3fff::1", "5f00::1", "2001:10::1", "2001:20::1"],
];

const CARRYING_IPV4 = [
  ...["::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "0:0:0:0:0:ffff:7f00:1", "::ffff:0:7f00:1"],
  ...["64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "::7f00:1"],
  ...["2002:7f00:1::", "2002:a9fe:a9fe::", "2002:808:808::", "2001::1", "2001:0:7f00:1::"],
];

test("isPublicAddress() is false for addresses of special use", () => {
  for (const address of SPECIAL) assert.equal(isPublicAddress(address), false, address);
});

test("isPublicAddress() is false for IPv6 addresses that lead to such IPv4 addresses", () => {
  for (const address of CARRYING_IPV4) assert.equal(isPublicAddress(address), false, address);
});

test("isPublicAddress() is false for texts that are no complete address", () => {
  const texts = ["", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "8.8.8.8 "];
  for (const text of [...texts, "8.8.8", "::1%eth0", "[::1]", "1.2.3.4.5"]) {
    assert.equal(isPublicAddress(text), false, text);
  }
});

test("isPublicAddress() is true for hosts of the internet", () => {
  const addresses = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111"];
  for (const address of [...addresses, "::ffff:8.8.8.8", "64:ff9b::808:808"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});
