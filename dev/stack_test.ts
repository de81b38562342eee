import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { openBus } from "@posthaste/messaging";
import { nightly, until } from "@posthaste/kit";
import { openStack } from "./stack.ts";
import { SERVICES } from "./part_name.ts";
import { keptUsers } from "./users.ts";

nightly("dev/users_test.ts", "tests/e2e/start_test.ts");

const isLinux = process.platform === "linux";

test("openStack() starts each service with its own logins and flags, and no other's", {
  skip: !isLinux && "environments and command lines are read from /proc",
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-stack-"));
  try {
    const masterKey = Buffer.alloc(32, 1).toString("base64");
    const { MONGODB_URL: _m, NATS_URL: _n, ...env } = process.env;
    await using stack = await openStack({
      env: { ...env, MASTER_KEY: `given:${masterKey}`, SETUP_CODE: "given-setup-code" },
      dataDir,
      isTemporary: true,
    });
    assert.equal((await stat(join(dataDir, "users.json"))).mode & 0o777, 0o600);
    assert.equal((await stat(join(dataDir, "nats", "nats.conf"))).mode & 0o777, 0o600);
    const users = await keptUsers(join(dataDir, "users.json"));
    const secrets = new Map<string, string>([
      ["the key of the database", users.replicaSetKey],
      ["the prefix of the operator", users.apiSecret],
      ["the master key", masterKey],
      ["the setup code", "given-setup-code"],
    ]);
    for (const [name, word] of Object.entries(users.broker)) secrets.set(`${name} broker`, word);
    for (const [name, word] of Object.entries(users.database)) secrets.set(`${name} db`, word);
    for (const name of SERVICES) {
      const pid = stack.services.get(name)?.pid;
      const environment = await readFile(`/proc/${pid}/environ`, "utf8");
      const known = [...secrets].filter(([, word]) => environment.includes(word));
      assert.deepEqual(known.map(([of]) => of), [
        ...(name === "mailer" ? ["the master key"] : []),
        ...(name === "dashboard" ? ["the setup code"] : []),
        `${name} broker`,
        ...(name === "pdf" ? [] : [`${name} db`]),
      ]);
      const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8");
      assert.match(commandLine, /--permission\0/);
      assert.equal([...secrets.values()].some((word) => commandLine.includes(word)), false);
    }
    // Streams that the broker loses are created again, although no service may do that.
    await using bus = await openBus({ url: stack.natsUrl, name: "operator" });
    await bus.check();
    await stack.nats?.kill();
    await rm(join(dataDir, "nats", "jetstream"), { recursive: true });
    await stack.nats?.restart();
    await until(() => bus.check().then(() => true, () => false), {
      message: "the streams to be there again",
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});
