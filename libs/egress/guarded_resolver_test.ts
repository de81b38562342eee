import assert from "node:assert/strict";
import { test } from "node:test";
import { EgressError, type EgressFault } from "./egress_error.ts";
import { openGuardedResolver } from "./guarded_resolver.ts";
import { readNetworks } from "./networks.ts";

const NAMES: Readonly<Record<string, string[]>> = {
  "mx.example": ["93.184.216.34", "2606:2800:220:1::1"],
  "inside.example": ["10.0.0.5"],
  "both.example": ["93.184.216.34", "169.254.169.254"],
  "relay.example": ["10.1.0.5"],
  "half.example": ["10.1.0.5", "93.184.216.34"],
  "nothing.example": [],
};

function openTestResolver(lookup = (host: string) => Promise.resolve(NAMES[host] ?? [])) {
  const allowed = readNetworks(["10.1.0.0/16"]);
  return openGuardedResolver({ ports: [25, 587], allowed, lookup, timeoutMs: 50 });
}

function refuses(answer: Promise<string>, fault: EgressFault): Promise<void> {
  return assert.rejects(answer, (error) => error instanceof EgressError && error.fault === fault);
}

test("resolve() returns the address that it checked", async () => {
  const resolve = openTestResolver();
  assert.equal(await resolve({ host: "mx.example", port: 587, owner: "a" }), "93.184.216.34");
  assert.equal(await resolve({ host: "93.184.216.34", port: 25, owner: "a" }), "93.184.216.34");
  assert.equal(await resolve({ host: "[2606:2800::1]", port: 25, owner: "a" }), "2606:2800::1");
});

test("resolve() refuses internal hosts, also one that has a public address as well", async () => {
  const resolve = openTestResolver();
  for (const host of ["inside.example", "both.example", "127.0.0.1", "[::1]", "::ffff:7f00:1"]) {
    await refuses(resolve({ host, port: 25, owner: "a" }), "forbidden");
  }
});

test("resolve() refuses other ports, except in networks that the operator allows", async () => {
  const resolve = openTestResolver();
  await refuses(resolve({ host: "mx.example", port: 6379, owner: "a" }), "forbidden");
  assert.equal(await resolve({ host: "relay.example", port: 1025, owner: "a" }), "10.1.0.5");
  await refuses(resolve({ host: "half.example", port: 1025, owner: "a" }), "forbidden");
});

test("resolve() refuses the current address of a name", async () => {
  const answers = [["93.184.216.34"], ["127.0.0.1"]];
  const resolve = openTestResolver(() => Promise.resolve(answers.shift() ?? []));
  assert.equal(await resolve({ host: "rebinds.example", port: 25, owner: "a" }), "93.184.216.34");
  await refuses(resolve({ host: "rebinds.example", port: 25, owner: "a" }), "forbidden");
});

test("resolve() distinguishes a name that does not exist from one that cannot be looked up", async () => {
  const failing = (code: string) =>
    openTestResolver(() => Promise.reject(Object.assign(new Error(code), { code })));
  const destination = { host: "gone.example", port: 25, owner: "a" };
  await refuses(failing("ENOTFOUND")(destination), "not_found");
  await refuses(failing("EAI_AGAIN")(destination), "unavailable");
  await refuses(openTestResolver(() => new Promise(() => {}))(destination), "unavailable");
  await refuses(openTestResolver()({ host: "nothing.example", port: 25, owner: "a" }), "not_found");
});

test("resolve() checks the system's interpretation of odd notations", async () => {
  const resolve = openGuardedResolver({ ports: [25], allowed: readNetworks([]) });
  for (const host of ["127.1", "2130706433", "0x7f000001", "localhost"]) {
    await assert.rejects(resolve({ host, port: 25, owner: "a" }), EgressError, host);
  }
});

test("resolve() lets names of one account that nobody answers for delay no other account", async () => {
  const asked: string[] = [];
  const resolve = openTestResolver((host) => {
    asked.push(host);
    return host.includes("silent") ? new Promise(() => {}) : Promise.resolve(["93.184.216.34"]);
  });
  const silent = Array.from({ length: 5 }, (_, at) => `silent${at}.example`);
  const late = silent.map((host) => resolve({ host, port: 25, owner: "a" }));
  assert.equal(await resolve({ host: "mx.example", port: 25, owner: "b" }), "93.184.216.34");
  for (const each of late) await refuses(each, "unavailable");
  // The system still looks the first ones up.
  await refuses(resolve({ host: "mx.example", port: 25, owner: "a" }), "unavailable");
  await refuses(resolve({ host: "silent0.example", port: 25, owner: "a" }), "unavailable");
  assert.deepEqual(asked, ["silent0.example", "silent1.example", "mx.example"]);
});

test("resolve() looks a name up again once the earlier look-up has ended", async () => {
  const answers = [["93.184.216.34"], ["93.184.216.35"]];
  const resolve = openTestResolver(() => Promise.resolve(answers.shift() ?? []));
  const once = () => resolve({ host: "mx.example", port: 25, owner: "a" });
  assert.deepEqual(await Promise.all([once(), once()]), ["93.184.216.34", "93.184.216.34"]);
  assert.equal(await once(), "93.184.216.35");
});
