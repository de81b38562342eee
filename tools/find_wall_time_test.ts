import assert from "node:assert/strict";
import { test } from "node:test";
import { findWallTime } from "./find_wall_time.ts";

/** Returns the findings in separate sources, in their order. */
function found(sources: Readonly<Record<string, string>>): string[][] {
  const files = Object.keys(sources).map((name, n) => [name, `${n}_test.ts`] as const);
  const all = findWallTime(new Map(files.map(([name, file]) => [file, sources[name] ?? ""])));
  return files.map(([name, file]) => [
    name,
    ...all.filter((each) => each.file === file).map(({ text }) => text),
  ]);
}

function expected(sources: Readonly<Record<string, string>>, texts: readonly string[]) {
  return Object.keys(sources).map((name, n) => [name, texts[n] ?? ""]);
}

test("findWallTime() finds a difference of each clock, compared in place", () => {
  const sources = {
    "performance.now()": `const a = performance.now(); assert.ok(performance.now() - a < 5);`,
    "Date.now()": `const a = Date.now(); if (Date.now() - a >= 5) throw new Error();`,
    "hrtime()": `const a = process.hrtime(); assert.ok(process.hrtime(a)[0] > 5);`,
    "hrtime.bigint()":
      `const a = process.hrtime.bigint(); assert.ok(process.hrtime.bigint() - a < 5n);`,
    "hrtime by its own name":
      `import { hrtime } from "node:process"; const a = hrtime.bigint(); assert.ok(hrtime.bigint() - a < 5n);`,
    "getTime()":
      `const a = new Date().getTime(); assert.ok((new Date().getTime() - a) / 1000 <= 5);`,
    "dates": `const a = new Date(); assert.ok(5 > Number(new Date()) - +a);`,
    "subtracted dates": `const a = new Date(); assert.ok(Number(new Date() - a) < 5);`,
  };
  assert.deepEqual(
    found(sources),
    expected(sources, [
      "performance.now() - a < 5",
      "Date.now() - a >= 5",
      "process.hrtime(a)[0] > 5",
      "process.hrtime.bigint() - a < 5n",
      "hrtime.bigint() - a < 5n",
      "(new Date().getTime() - a) / 1000 <= 5",
      "5 > Number(new Date()) - +a",
      "Number(new Date() - a) < 5",
    ]),
  );
});

test("findWallTime() follows a duration to where it is compared", () => {
  const clock = "const now = () => performance.now(); const a = now();";
  const sources = {
    "a variable": `${clock} const took = now() - a; assert.ok(took < 5);`,
    "one assigned later": `${clock} let took = 0; took = now() - a; assert.ok(took < 5);`,
    "a sum": `${clock} let all = 0; all += now() - a; assert.ok(all < 5);`,
    "seconds": `${clock} const s = Math.round((now() - a) / 1000); assert.ok(s < 5);`,
    "a function": `${clock} function passed() { return now() - a; } assert.ok(passed() < 5);`,
    "an async function":
      `async function time() { const a = Date.now(); await x(); return Date.now() - a; } ` +
      `assert.ok(await time() < 5);`,
    "a property":
      `async function f() { const a = Date.now(); return { tookMs: Date.now() - a }; } ` +
      `const { tookMs } = await f(); assert.ok(tookMs < 5);`,
    "a property of a typed result":
      `async function f(): Promise<{ ms: number }> { const a = Date.now(); return { ms: Date.now() - a }; } ` +
      `const lost = await f(); assert.ok(lost.ms < 5);`,
    "a renamed property":
      `function f() { const a = Date.now(); const ms = Date.now() - a; return { ms }; } ` +
      `const { ms: b } = f(); assert.ok(b < 5);`,
    "a method": `${clock} const watch = { read: () => now() - a }; assert.ok(watch.read() < 5);`,
    "a list": `${clock} const all = []; all.push(now() - a); assert.ok(Math.max(...all) < 5);`,
    "each of a list": `${clock} const all = [now() - a]; assert.ok(all.every((ms) => ms < 5));`,
    "a loop": `${clock} const all = [now() - a]; for (const ms of all) assert.ok(ms < 5);`,
    "a parameter": `${clock} function quick(ms) { assert.ok(ms < 5); } quick(now() - a);`,
    "promises":
      `${clock} const wait = async () => now() - a; const [b] = await Promise.all([wait()]); assert.ok(b < 5);`,
    "a reference": `${clock} const b = now() - a; const c = now() - a; assert.ok(b / c < 2);`,
    "an assert": `${clock} const took = now() - a; assert.equal(Math.round(took), 5);`,
    "lateness":
      `const due = new Date(Date.now() + 9); const got = []; got.push({ at: Date.now() }); ` +
      `const late = (got[0]?.at ?? 0) - due.getTime(); assert.ok(late < 5);`,
  };
  assert.deepEqual(
    found(sources),
    expected(sources, [
      ...["took < 5", "took < 5", "all < 5", "s < 5", "passed() < 5", "await time() < 5"],
      ...["tookMs < 5", "lost.ms < 5", "b < 5", "watch.read() < 5", "Math.max(...all) < 5"],
      ...["ms < 5", "ms < 5", "ms < 5", "b < 5", "b / c < 2"],
      ...["assert.equal(Math.round(took), 5)", "late < 5"],
    ]),
  );
});

test("findWallTime() follows a duration out of another file", () => {
  const sources = new Map([
    [
      "a/_test_time.ts",
      `export async function time(work) { const a = Date.now(); await work(); return Date.now() - a; }`,
    ],
    ["a/b_test.ts", `import { time } from "./_test_time.ts";\nassert.ok(await time(work) < 5);`],
  ]);
  assert.deepEqual(findWallTime(sources), [
    { file: "a/b_test.ts", line: 2, text: "await time(work) < 5" },
  ]);
});

test("findWallTime() finds a deadline that is asserted, and leaves loops alone", () => {
  const sources = {
    "asserted": `const end = Date.now() + 5; await x(); assert.ok(Date.now() < end);`,
    "a busy loop": `const end = performance.now() + 5; while (performance.now() < end);`,
    "a busy loop by difference":
      `const a = performance.now(); while (b && (performance.now() - a < 5));`,
    "a for loop": `for (const end = Date.now() + 5; Date.now() < end; await delay(1));`,
    "a turn": `let next = 0; while (x()) { if (Date.now() > next) next = Date.now() + 5; }`,
  };
  assert.deepEqual(found(sources), [
    ["asserted", "Date.now() < end"],
    ...Object.keys(sources).slice(1).map((name) => [name]),
  ]);
});

test("findWallTime() leaves other times alone", () => {
  const sources = {
    "dates of the product":
      `const { expiresAt } = await find(); assert.ok(expiresAt > new Date());`,
    "their distance from now":
      `const { at } = await find(); const wait = at.getTime() - Date.now(); assert.ok(wait < 5);`,
    "test data":
      `const now = new Date(); const sent = { at: now }; assert.ok(got.at.getTime() - sent.at.getTime() < 5);`,
    "CPU time": `const a = process.cpuUsage(); assert.ok(process.cpuUsage(a).user < 5);`,
    "a clock that is passed in":
      `let time = 0; const clock = { now: () => time }; const a = clock.now(); time += 5; assert.ok(clock.now() - a < 9);`,
    "a message": `const a = Date.now(); assert.ok(done, \`after \${Date.now() - a} ms\`);`,
    "a name again":
      `{ const a = Date.now() - b(); } { const a = 1; assert.ok(a < 5); } function f() { const b = Date.now(); }`,
  };
  assert.deepEqual(found(sources), Object.keys(sources).map((name) => [name]));
});

test("findWallTime() ignores a clock that the test replaced", () => {
  const judge = "const a = Date.now(); mock.timers.tick(5); assert.ok(Date.now() - a >= 5);";
  const judgePerformance = judge.replaceAll("Date.now", "performance.now");
  const stop =
    `function stop({ mock }) { mock.method(performance, "now", () => 5); return mock; }\n`;
  const sources = {
    "all of the mock timers": `test("", ({ mock }) => { mock.timers.enable(); ${judge} });`,
    "the date":
      `test("", ({ mock }) => { mock.timers.enable({ apis: ["setTimeout", "Date"] }); ${judge} });`,
    "a method":
      `test("", ({ mock }) => { mock.method(performance, "now", f); ${judgePerformance} });`,
    "a function that does it":
      `${stop} test("", (context) => { const mock = stop(context); ${judgePerformance} });`,
    "timers alone":
      `test("", ({ mock }) => { mock.timers.enable({ apis: ["setTimeout"] }); ${judge} });`,
    "the other clock": `test("", ({ mock }) => { mock.timers.enable(); ${judgePerformance} });`,
    "another test":
      `test("", ({ mock }) => { mock.timers.enable(); }); test("", () => { ${judge} });`,
  };
  assert.deepEqual(found(sources), [
    ...Object.keys(sources).slice(0, 4).map((name) => [name]),
    ["timers alone", "Date.now() - a >= 5"],
    ["the other clock", "performance.now() - a >= 5"],
    ["another test", "Date.now() - a >= 5"],
  ]);
});
