import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { nightTest, takesLong } from "@posthaste/kit";
import { openSandbox, type Sandbox } from "./sandbox.ts";
import type { FillResult, TemplateSource } from "./fill.ts";

takesLong();

const LOOP = "{{#each l}}{{#each @root.l}}{{/each}}{{/each}}done";

function html(source: string, key = source.slice(0, 40)): TemplateSource {
  return { key, source, escape: "html" };
}

function codes(results: FillResult[]): Set<string> {
  return new Set(results.map((result) => result.ok ? "ok" : result.error.code));
}

/** Requests fills one by one, so that the number of finished ones is visible. */
function flood(sandbox: Sandbox, { count, size }: { count: number; size: number }) {
  const data = { l: Array.from({ length: size }, () => 1) };
  let done = 0;
  const all = Promise.all(Array.from({ length: count }, async () => {
    await sandbox.fill({ owner: "flood", templates: { html: html(LOOP) }, fills: [{ data }] });
    done++;
  }));
  return { all, done: () => done };
}

async function quick(sandbox: Sandbox): Promise<void> {
  const fills = [{ data: { name: "Ada" } }];
  const templates = { html: html("Dear {{name}}") };
  const [result] = await sandbox.fill({ owner: "quick", templates, fills });
  assert.equal(result?.ok && result.parts["html"], "Dear Ada");
}

test("sandbox.fill() makes another owner wait for at most one slow fill", async () => {
  await using sandbox = openSandbox({ workers: 1, timeLimitMs: 10_000 });
  await quick(sandbox);
  const slow = flood(sandbox, { count: 4, size: 3_000 });
  await delay(20);
  for (let asked = 0; asked < 2; asked++) {
    const before = slow.done();
    await quick(sandbox);
    assert.ok(slow.done() <= before + 1, `${slow.done() - before} were before it`);
  }
  await slow.all;
});

test("sandbox.fill() ends a long batch, so that another owner's turn comes", async () => {
  await using sandbox = openSandbox({ workers: 1, timeLimitMs: 10_000 });
  await quick(sandbox);
  const many = flood(sandbox, { count: 60, size: 700 });
  await delay(5);
  await quick(sandbox);
  assert.ok(many.done() <= 35, `${many.done()} were before it`);
  await many.all;
});

nightTest("a sandbox keeps a worker free of slow owners and of publishing", async () => {
  await using sandbox = openSandbox({ workers: 2, timeLimitMs: 10_000 });
  await flood(sandbox, { count: 1, size: 7_000 }).all;
  const slow = flood(sandbox, { count: 4, size: 3_000 });
  const published = sandbox.publishPdf({ html: "{{a}}".repeat(4_000) }, { owner: "publisher" });
  for (let n = 0; n < 5; n++) {
    await delay(10);
    assert.ok(sandbox.stats().busy <= 1, `${sandbox.stats().busy} are busy`);
    const before = slow.done();
    await quick(sandbox);
    assert.ok(slow.done() <= before + 1);
  }
  await Promise.all([slow.all, published]);
});

test("sandbox.fill() refuses the urgent fills of a slow owner beyond four, and no other owner's", async () => {
  await using sandbox = openSandbox({ workers: 1, timeLimitMs: 200 });
  const l = Array.from({ length: 500 }, () => 1);
  const endless = html("{{#each l}}{{#each @root.l}}{{#each @root.l}}{{/each}}{{/each}}{{/each}}");
  const results = Array.from(
    { length: 20 },
    () =>
      sandbox.fill({
        owner: "slow",
        urgent: true,
        templates: { html: endless },
        fills: [{ data: { l } }],
      }),
  );
  const other = { html: html("Dear {{name}}") };
  const quickly = sandbox.fill({
    owner: "other",
    urgent: true,
    templates: other,
    fills: [{ data: {} }],
  });
  assert.deepEqual(codes(await quickly), new Set(["ok"]));
  const all = (await Promise.all(results)).flat();
  const timeouts = all.filter((result) => !result.ok && result.error.code === "timeout");
  assert.deepEqual(codes(all), new Set(["timeout", "busy"]));
  assert.ok(timeouts.length <= 5, `${timeouts.length} were tried`);
  assert.deepEqual([sandbox.isSlow("slow"), sandbox.isSlow("other")], [true, false]);
});

/**
 * The memory that a worker needs at one moment is far below its limit: two thirds of it, while it compiles one of
 * {@linkcode heavy}'s templates and keeps four. The time of garbage collections differs between machines.
 */
const SMALL = { workers: 1, memoryMb: 48, timeLimitMs: 20_000 };
/** The number of templates that exceeded a worker's memory. */
let deadly = 30;

/** Returns a template that takes more than a megabyte once it is compiled; each `n` is another one. */
function heavy(n: number): TemplateSource {
  return html(`{{number a locale="en" maximumFractionDigits=${n}}}`.repeat(400), `${n}`);
}

nightTest("a fill that dies of what others left in its worker is done in a fresh one", async () => {
  await using sandbox = openSandbox({ ...SMALL, keptWeight: Number.POSITIVE_INFINITY });
  let n = 0;
  for (; n < 100 && sandbox.stats().outOfMemory === 0; n++) {
    const [result] = await sandbox.fill({
      owner: `${n}`,
      templates: { html: heavy(n) },
      fills: [{ data: {} }],
    });
    assert.ok(result?.ok, result?.ok === false ? result.error.message : "");
  }
  assert.ok(sandbox.stats().outOfMemory > 0, "the worker was to run out of memory");
  deadly = n;
});

nightTest("openSandbox() forgets compiled templates by their weight, too", async () => {
  await using sandbox = openSandbox({ ...SMALL, keptWeight: 1.5e6 });
  for (let n = 0; n < 1.5 * deadly; n++) {
    await sandbox.fill({ owner: `${n}`, templates: { html: heavy(n) }, fills: [{ data: {} }] });
  }
  const { restarts, outOfMemory, timeouts } = sandbox.stats();
  assert.deepEqual({ restarts, outOfMemory, timeouts }, {
    restarts: 0,
    outOfMemory: 0,
    timeouts: 0,
  });
});

test("sandbox.fill() sends no more values at the same time than a worker can hold", async () => {
  await using sandbox = openSandbox({ workers: 1, memoryMb: 64, timeLimitMs: 20_000 });
  const text = "x".repeat(3_000_000);
  const fills = Array.from({ length: 40 }, (_, n) => ({ data: { n, text } }));
  const results = await sandbox.fill({ templates: { html: html("{{n}}{{length text}}") }, fills });
  assert.deepEqual(codes(results), new Set(["ok"]));
  assert.equal(sandbox.stats().restarts, 0);
});

test("sandbox.fill() leaves fills beyond the request's budget of text for later", async () => {
  await using sandbox = openSandbox({ workers: 1, batchSize: 4 });
  const data = { text: "x".repeat(10_000) };
  const fills = Array.from({ length: 20 }, () => ({ data }));
  const templates = { html: html("{{text}}") };
  const results = await sandbox.fill({ templates, fills, textBudget: 45_000 });
  const filled = results.map(({ ok }) => ok);
  assert.deepEqual(
    filled,
    filled.toSorted((a, b) => Number(b) - Number(a)),
    "the first come first",
  );
  // A worker finishes the fills that it has.
  const made = filled.filter(Boolean).length;
  assert.ok(made >= 5 && made <= 8, `${made} were made`);
  assert.deepEqual(codes(results.slice(made)), new Set(["later"]));
});

test("a sandbox's errors are short, whatever they quote", async () => {
  await using sandbox = openSandbox({ workers: 1 });
  const name = "k".repeat(100_000);
  const fills = [{ data: { o: { [name]: 1 }, s: name } }];
  for (const source of ["{{o}}", '{{date "2026-03-01T00:00Z" tz=s}}', "{{date 1 dateStyle=s}}"]) {
    const [result] = await sandbox.fill({ templates: { html: html(source) }, fills });
    assert.ok(result && !result.ok);
    assert.ok(result.error.message.length <= 500, `${source}: ${result.error.message.length}`);
  }
  const { errors } = await sandbox.check({
    html: `{{#${"a".repeat(400)}}}{{/x}}{{z y}}`.repeat(1),
  });
  assert.ok(errors.every(({ message }) => message.length <= 400));
  const many = await sandbox.check({ html: "{{nope x}}".repeat(1_000) });
  assert.equal(many.errors.length, 100);
});
