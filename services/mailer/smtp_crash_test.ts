import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import type { Failpoint } from "@posthaste/runtime";
import { openFaultySmtp, until } from "@posthaste/kit";

/** Sends one mail in a process of its own, which ends at a failpoint. */
const sender = `
  import { flushCompileCache } from "node:module";
  import { armFailpoint } from "@posthaste/runtime";
  import { openTransportPool } from "${new URL("./transport_pool.ts", import.meta.url).href}";
  // By itself Node writes it when a process exits: this one is killed.
  flushCompileCache();
  const [point, port] = process.argv.slice(1);
  armFailpoint(point);
  await using pool = openTransportPool({
    ehloName: "x.example",
    resolveHost: ({ host }) => Promise.resolve(host),
  });
  await pool.send({
    integration: { key: "1", host: "127.0.0.1", port: Number(port), tls: "none", auth: null },
    envelope: { from: "billing@example.com", to: "ann@example.net" },
    raw: Buffer.from("Message-ID: <m1@example.com>\\r\\n\\r\\nHello\\r\\n"),
    onDot: () => new Promise((resolve) => setTimeout(resolve, 50)),
  });
`;

const points: [Failpoint, before: string, sawDot: boolean][] = [
  ["mailer.before_data", "nothing", false],
  ["mailer.mid_body", "no dot", false],
  ["mailer.after_dot", "the dot", true],
  ["mailer.after_reply", "the dot", true],
];

for (const [point, before, sawDot] of points) {
  test(`failpoint() at ${point} leaves a server that has seen ${before}`, async () => {
    await using faulty = await openFaultySmtp();
    const args = ["--input-type=module-typescript", "-e", sender, point, String(faulty.port)];
    const cwd = new URL(".", import.meta.url);
    const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
    const [, signal] = await once(child, "exit");
    assert.equal(signal, "SIGKILL");
    await until(() => faulty.counts.open === 0, { message: "the server to see the end" });
    assert.equal(faulty.counts.accepted, sawDot ? 1 : 0);
    assert.equal(faulty.records.filter((record) => record.finalDot).length, sawDot ? 1 : 0);
    assert.equal(faulty.records.length, before === "nothing" ? 0 : 1);
  });
}
