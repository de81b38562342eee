import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { describeConfig } from "./describe_config.ts";
import { ConfigError, type Env, readConfig, secretsOf } from "./read_config.ts";
import { setting } from "./setting.ts";

const CONFIG = z.object({
  PORT: setting.port().prefault("8080").describe("Port of the interface"),
  MONGODB_URL: setting.url({ schemes: ["mongodb"], secret: true }).describe("The database"),
  SEAL_KEY: setting.text({ secret: true, min: 8 }),
  TIMEOUT: setting.duration({ min: 1000 }).default(30_000),
  MAX_MAIL: setting.bytes().prefault("25MB"),
  STRICT: setting.boolean().prefault("true"),
  HOSTS: setting.list().optional(),
  WHEN_UNKNOWN: setting.oneOf(["retry", "hold"]).optional(),
});

const GOOD: Env = { MONGODB_URL: "mongodb://u:p@a:1,b:2/x", SEAL_KEY: "12345678" };

function faultsOf(env: Env): string[] {
  try {
    readConfig(CONFIG, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults.map(({ setting, problem }) => `${setting} ${problem}`);
  }
  assert.fail("no fault was found");
}

test("readConfig() gives typed values, with defaults for what is empty or missing", () => {
  const config = readConfig(CONFIG, {
    ...GOOD,
    PORT: "  ",
    STRICT: "off",
    HOSTS: "a, b,,c",
    OTHER: "ignored",
  });
  assert.deepEqual(config, {
    PORT: 8080,
    MONGODB_URL: "mongodb://u:p@a:1,b:2/x",
    SEAL_KEY: "12345678",
    TIMEOUT: 30_000,
    MAX_MAIL: 25_000_000,
    STRICT: false,
    HOSTS: ["a", "b", "c"],
  });
});

test("readConfig() refuses the old name of a setting, where the setting is one of the schema's", () => {
  const schema = z.object({ SANDBOX_WORKERS: setting.integer().prefault("2") });
  assert.throws(() => readConfig(schema, { CAGE_WORKERS: "4" }), {
    name: "ConfigError",
    message:
      "Cannot read the settings: CAGE_WORKERS is now named SANDBOX_WORKERS: set that instead",
  });
  assert.deepEqual(readConfig(schema, { CAGE_WORKERS: "", SWEEP_GRACE: "5s" }), {
    SANDBOX_WORKERS: 2,
  });
});

test("readConfig() names all faults together, with what was expected", () => {
  assert.deepEqual(faultsOf({ PORT: "80a", TIMEOUT: "5", MAX_MAIL: "25", WHEN_UNKNOWN: "x" }), [
    'PORT is "80a": expected a port from 0 to 65535',
    'MONGODB_URL is missing: expected a URL that starts with "mongodb://" (The database)',
    "SEAL_KEY is missing: expected a text of at least 8 characters",
    'TIMEOUT is "5": expected a duration such as "500ms", "30s", "5m" or "48h" of at least 1s',
    'MAX_MAIL is "25": expected a size such as "512KiB" or "25MB"',
    'WHEN_UNKNOWN is "x": expected one of "retry", "hold"',
  ]);
});

test("readConfig() never shows the value of a secret", () => {
  const faults = faultsOf({ MONGODB_URL: "http://u:hunter2@x", SEAL_KEY: "hunter2" });
  assert.equal(faults.length, 2);
  assert.ok(!faults.join().includes("hunter2"));
  assert.match(faults[1] ?? "", /^SEAL_KEY has a wrong value \(not shown\): expected a text/);
});

test("readConfig() reports a rule between several settings", () => {
  const schema = CONFIG.refine(({ TIMEOUT }) => TIMEOUT < 60_000, {
    path: ["TIMEOUT"],
    message: "expected less than a minute",
  });
  assert.throws(() => readConfig(schema, { ...GOOD, TIMEOUT: "2m" }), {
    name: "ConfigError",
    message: 'Cannot read the settings: TIMEOUT is "2m": expected less than a minute',
  });
});

test("describeConfig() lists name, kind, default and purpose of every setting", () => {
  const [port, url, key, timeout, size, strict, hosts] = describeConfig(CONFIG);
  assert.deepEqual(port, {
    name: "PORT",
    type: "port",
    default: "8080",
    required: false,
    description: "Port of the interface",
    expected: "a port from 0 to 65535",
    secret: false,
  });
  assert.deepEqual([url?.required, url?.secret, key?.secret], [true, true, true]);
  assert.deepEqual([timeout?.default, size?.default, strict?.default], ["30s", "25MB", "true"]);
  assert.deepEqual([hosts?.required, hosts?.default, hosts?.type], [false, undefined, "list"]);
});

test("readConfig() reads a secret setting out of the file that NAME_FILE names", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-settings-"));
  const file = join(folder.path, "url");
  await writeFile(file, "  mongodb://u:p@a:1/x\n");
  const { MONGODB_URL: _url, ...rest } = GOOD;
  const config = readConfig(CONFIG, { ...rest, MONGODB_URL_FILE: ` ${file}\n`, PORT_FILE: "/no" });
  assert.equal(config.MONGODB_URL, "mongodb://u:p@a:1/x");
  assert.deepEqual(secretsOf(CONFIG, { ...rest, MONGODB_URL_FILE: file }), [
    "mongodb://u:p@a:1/x",
    "12345678",
  ]);
});

test("readConfig() names the fault of a secret's file, never what it holds", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-settings-"));
  const file = (name: string) => join(folder.path, name);
  await writeFile(file("wrong"), "postgres://root:s3cret@host");
  await writeFile(file("empty"), " \n");
  await writeFile(file("large"), "x".repeat(70_000));
  const { MONGODB_URL: _url, ...rest } = GOOD;
  const faults = (url: string) => faultsOf({ ...rest, MONGODB_URL_FILE: url });
  assert.deepEqual(faults(file("none")), [
    `MONGODB_URL_FILE is "${file("none")}": there is no such file`,
  ]);
  assert.deepEqual(faults(folder.path), [
    `MONGODB_URL_FILE is "${folder.path}": it is a folder`,
  ]);
  assert.deepEqual(faults(file("empty")), [
    `MONGODB_URL_FILE is "${file("empty")}": the file is empty`,
  ]);
  assert.deepEqual(faults(file("large")), [
    `MONGODB_URL_FILE is "${file("large")}": the file is larger than 64 KiB`,
  ]);
  assert.deepEqual(faults(file("wrong")), [
    'MONGODB_URL has a wrong value (not shown): expected a URL that starts with "mongodb://"',
  ]);
  assert.deepEqual(faultsOf({ ...GOOD, MONGODB_URL_FILE: file("wrong") }), [
    "MONGODB_URL_FILE and MONGODB_URL are both set: unset one",
  ]);
});
