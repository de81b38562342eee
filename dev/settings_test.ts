import assert from "node:assert/strict";
import { test } from "node:test";
import { helpText } from "./help.ts";
import { PORT_NAMES, PORTS, readSettings, UsageError } from "./settings.ts";

test("readSettings() takes every port from its own variable", () => {
  const env = Object.fromEntries(PORT_NAMES.map((name, i) => [PORTS[name].setting, `${4000 + i}`]));
  const { ports } = readSettings([], env, "/home/ann/posthaste");
  assert.deepEqual(Object.values(ports), [4000, 4001, 4002, 4003, 4004, 4005]);
});

test("readSettings() prefers API_PORT to PORT", () => {
  assert.equal(readSettings([], { PORT: "3000" }, "/").ports.api, 3000);
  assert.equal(readSettings([], { PORT: "3000", API_PORT: "3001" }, "/").ports.api, 3001);
});

test("readSettings() needs no port for an existing server", () => {
  const env = { MONGODB_URL: "mongodb://db", NATS_URL: "nats://broker" };
  assert.deepEqual(Object.keys(readSettings([], env, "/").ports), [
    "api",
    "dashboard",
    "inboxWeb",
    "inboxSmtp",
  ]);
});

test("readSettings() takes the data folder from DATA_DIR", () => {
  assert.equal(
    readSettings([], {}, "/home/ann/posthaste").dataDir,
    "/home/ann/posthaste/.posthaste",
  );
  assert.equal(readSettings([], { DATA_DIR: "/data" }, "/home/ann").dataDir, "/data");
});

test("readSettings() refuses unknown options, no ports, and a port for two", () => {
  const refuse = (args: string[], env: Record<string, string>, message: RegExp) =>
    assert.throws(() => readSettings(args, env, "/"), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  refuse(["--fast"], {}, /no option "--fast"/);
  refuse([], { NATS_PORT: "70000" }, /NATS_PORT is "70000", which is not a port/);
  refuse([], { NATS_PORT: "8080" }, /API_PORT and NATS_PORT are both 8080/);
  assert.ok(readSettings([], { NATS_PORT: "0", API_PORT: "0" }, "/"));
});

test("helpText() names every port's variable and its standard", () => {
  for (const name of PORT_NAMES) {
    const { setting, standard } = PORTS[name];
    assert.match(helpText(), new RegExp(`${setting} .*${standard}`));
  }
});
