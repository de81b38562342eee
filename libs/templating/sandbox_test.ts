import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { after, test } from "node:test";
import { isRunning } from "@posthaste/embedded";
import { takesLong, until } from "@posthaste/kit";
import { openSandbox } from "./sandbox.ts";
import type { FillResult, TemplateSource } from "./fill.ts";

takesLong();

const MANY = Array.from({ length: 400 }, (_, index) => index);
const CUBIC = "{{#each l}}{{#each @root.l}}{{#each @root.l}}{{this}}{{/each}}{{/each}}{{/each}}";

/** Serves the tests that need no other limits and kill no worker. */
const shared = openSandbox({ workers: 1 });
after(() => shared[Symbol.asyncDispose]());

function html(source: string): TemplateSource {
  return { key: source.slice(0, 40) + source.length, source, escape: "html" };
}

function codes(results: FillResult[]): string[] {
  return results.map((result) => result.ok ? "ok" : result.error.code);
}

test("openSandbox() fills a batch in order, each part with its own escaping", async () => {
  await using sandbox = openSandbox({ workers: 2, batchSize: 7 });
  const templates = {
    subject: { key: "s", source: "Hi {{name}}", escape: "none" },
    html: { key: "h", source: "<b>{{name}}</b> {{number n}}", escape: "html", locale: "de" },
  } as const;
  const fills = MANY.slice(0, 100).map((n) => ({ data: { name: `<${n}>`, n: n + 0.5 } }));
  const results = await sandbox.fill({ templates, fills });
  results.forEach((result, n) => {
    assert.ok(result.ok);
    assert.deepEqual(result.parts, {
      subject: `Hi <${n}>`,
      html: `<b>&lt;${n}&gt;</b> ${n},5`,
    });
  });
  const [only] = await sandbox.fill({ templates, fills: [{ use: ["subject"], data: {} }] });
  assert.deepEqual(only?.ok && only.parts, { subject: "Hi " });
  assert.equal(sandbox.stats().fills, 101);
});

test("openSandbox() compiles again when another text comes under a known key", async () => {
  await using sandbox = openSandbox({ workers: 1, keptTemplates: 2 });
  for (const source of ["a", "b", "a"]) {
    const t = { key: "same", source, escape: "none" } as const;
    assert.equal((await sandbox.render({ t }, {}))["t"], source);
  }
  for (const n of MANY.slice(0, 10)) {
    const t = { key: `k${n % 4}`, source: `${n % 4}`, escape: "none" } as const;
    assert.equal((await sandbox.render({ t }, {}))["t"], `${n % 4}`);
  }
});

test("openSandbox() reports an error of one fill only for that fill", async () => {
  await using sandbox = openSandbox({ workers: 1 });
  const templates = { html: html('<p>\n{{currency n "EUR"}}') };
  const results = await sandbox.fill({
    templates,
    fills: [{ data: { n: 1 } }, { data: { n: "x" } }, { data: { n: () => 1 } }, { data: { n: 4 } }],
  });
  assert.deepEqual(codes(results), ["ok", "error", "data", "ok"]);
  const failed = results[1];
  assert.ok(failed && !failed.ok);
  const { message, part, line, column } = failed.error;
  assert.equal(message, 'Cannot format currency "x": it is not a number');
  assert.deepEqual({ part, line, column }, { part: "html", line: 2, column: 1 });
});

test("openSandbox() kills a fill that runs too long, and only that one fails", async () => {
  await using sandbox = openSandbox({ workers: 1, timeLimitMs: 250 });
  const templates = { html: html(CUBIC) };
  const fills = MANY.slice(0, 20).map((n) => ({ data: { l: n === 7 ? MANY : [n] } }));
  const results = await sandbox.fill({ templates, fills });
  assert.deepEqual(codes(results), fills.map((_, n) => n === 7 ? "timeout" : "ok"));
  const failed = results[7];
  assert.match(failed && !failed.ok ? failed.error.message : "", /it needs more than 250 ms$/);
  assert.equal((await sandbox.render({ html: html("{{a}}") }, { a: 1 }))["html"], "1");
  assert.ok(sandbox.stats().timeouts >= 1 && sandbox.stats().restarts >= 1);
});

test("openSandbox() abandons a request after three kills in a row", async () => {
  await using sandbox = openSandbox({ workers: 1, timeLimitMs: 200 });
  const fills = MANY.slice(0, 30).map(() => ({ data: { l: MANY } }));
  const results = await sandbox.fill({ templates: { html: html(CUBIC) }, fills });
  assert.deepEqual(new Set(codes(results)), new Set(["timeout"]));
  assert.ok(sandbox.stats().timeouts <= 5, `${sandbox.stats().timeouts} kills`);
});

test("openSandbox() survives a template that exhausts the memory, and limits the output", async () => {
  await using sandbox = openSandbox({
    workers: 1,
    memoryMb: 64,
    timeLimitMs: 10_000,
    outputLimit: 1e6,
  });
  const twice = "{{#each l}}{{#each @root.l}}";
  const hungry = html(`${twice}{{urlEncode @root.s}}{{upper @root.s}}{{/each}}{{/each}}`);
  const results = [
    ...await sandbox.fill({
      templates: { html: hungry },
      fills: [{ data: { l: MANY, s: "ä".repeat(100_000) } }],
    }),
    ...await sandbox.fill({
      templates: { html: html(`${twice}{{@root.s}}{{/each}}{{/each}}`) },
      fills: [{ data: { l: MANY, s: "x".repeat(10) } }, { data: { l: [1], s: "x" } }],
    }),
  ];
  assert.deepEqual(codes(results), ["memory", "output", "ok"]);
});

test("openSandbox() refuses bombs immediately, in filling as in checking", async () => {
  const bomb = "{{a}}".repeat(100_000);
  await assert.rejects(shared.render({ html: html(bomb) }, {}), { code: "error", part: "html" });
  const { errors } = await shared.check({ html: bomb });
  assert.match(errors[0]?.message ?? "", /more than 5000 placeholders/);
  assert.equal(shared.stats().restarts, 0);
});

test("sandbox.publishEmail() publishes, or rejects with every error", async () => {
  const published = await shared.publishEmail({ subject: "Hi {{name}}", html: "<p>{{text}}</p>" });
  assert.deepEqual(published.variables.map(({ name }) => name), ["name", "text"]);
  await assert.rejects(shared.publishEmail({ subject: "{{", html: "{{x y}}" }), (error) => {
    assert.equal((error as { errors: unknown[] }).errors.length, 2);
    return (error as Error).name === "InvalidTemplateError";
  });
});

test("a sandbox refuses all remaining fills when it is closed", async () => {
  const sandbox = openSandbox({ workers: 1 });
  const waiting = sandbox.fill({ templates: { html: html("a") }, fills: [{ data: {} }] });
  await sandbox[Symbol.asyncDispose]();
  assert.deepEqual(codes(await waiting), ["closed"]);
  await assert.rejects(sandbox.check({ html: "" }), { code: "closed" });
});

test("idle and busy workers end when their parent is killed", async () => {
  const program = `
    import { readFileSync } from "node:fs";
    import { setTimeout as delay } from "node:timers/promises";
    import { openSandbox } from "${new URL("./sandbox.ts", import.meta.url)}";
    const sandbox = openSandbox({ workers: 2, reserved: 0, timeLimitMs: 60_000 });
    const fill = (source, data) => sandbox.render({ t: { key: source, source, escape: "none" } }, data);
    // Both have started: each has one of two fills at the same time.
    let most = 0;
    while (most < 2) {
      const two = [fill("x", {}), fill("y", {})];
      most = Math.max(most, sandbox.stats().busy);
      await Promise.all(two);
      await delay(5);
    }
    const l = Array.from({ length: 2000 }, () => 1);
    const busy = fill("${CUBIC.replace("{{this}}", "")}", { l });
    const children = readFileSync("/proc/self/task/" + process.pid + "/children", "utf8");
    setTimeout(() => console.log(children + sandbox.stats().busy), 50);
    await busy;`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await once(parent.stdout, "data");
  const [one, other, busy] = String(output).trim().split(" ").map(Number);
  const workers = [one ?? 0, other ?? 0];
  assert.ok(workers.every((pid) => pid > 0 && isRunning(pid)) && busy === 1, String(output));
  parent.kill("SIGKILL");
  await once(parent, "exit");
  try {
    await until(() => !workers.some(isRunning), { message: "the workers to end" });
  } finally {
    for (const pid of workers.filter(isRunning)) process.kill(pid, "SIGKILL");
  }
});
