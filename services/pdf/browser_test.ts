import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { byDay, nightTest, PRINT_POISONS, takesLong, until } from "@posthaste/kit";
import type { CdpConnection } from "./cdp.ts";
import { PrintPage } from "./print_page.ts";
import { processTree } from "./process_tree.ts";
import {
  CACHE_DIR,
  job,
  killZygote,
  NO_CHROMIUM,
  openTestBrowser,
  renderersUnder,
  textOf,
} from "./_test_browser.ts";

takesLong();

/** Takes Chromium minutes to lay out, without a script. */
const ENDLESS = `<table>${"<tr><td>" + "<table><tr><td style='width:50%'>x".repeat(14)}</table>${
  "<p style='columns:3'>x y z".repeat(60_000)
}`;

suite("openBrowser()", { skip: NO_CHROMIUM }, () => {
  test("print() starts the browser when it is needed, and disposing ends every process", async () => {
    const browser = await openTestBrowser();
    assert.equal(browser.stats().pids[0], undefined);
    assert.equal(await browser.healthy(), true);
    await Promise.all([browser.print(job("a")), browser.print(job("b"))]);
    const tree = processTree(pidOf(browser.stats()));
    assert.ok(tree.length >= 4, `the browser has ${tree.length} processes`);
    assert.equal(await browser.healthy(), true);
    await browser[Symbol.asyncDispose]();
    await allGone(tree);
    await assert.rejects(browser.print(job("late")), { code: "unavailable" });
  });

  test("print() has a browser for each priority, and that for bulk a low one", async () => {
    const own = getPriority();
    await using browser = await openTestBrowser({ concurrency: 1 });
    for (const priority of ["bulk", "transactional"] as const) {
      await browser.print(job("<p>x"), { asker: { accountId: "a", priority } });
    }
    const { pids } = browser.stats();
    assert.equal(pids.length, 2);
    for (const [at, niceness] of [0, 10].entries()) {
      const pid = pids[at] ?? 0;
      // As root it may raise its threads again, inside of their group.
      if (process.getuid?.() !== 0) {
        const all = [pid, ...await renderersUnder(pid)];
        for (const one of all) assert.equal(getPriority(one), own + niceness);
      }
      const group = await readFile(`/proc/${pid}/autogroup`, "utf8").catch(() => undefined);
      if (group !== undefined) assert.match(group, new RegExp(`nice ${niceness}$`, "m"));
    }
    assert.equal(getPriority(), own, "our own stays");
  });

  test("print() fails a hanging document alone, and prints the others", async () => {
    // On a busy machine it takes a gigabyte before its time is over.
    const limits = { memoryBytes: 8 * 1024 ** 3 };
    // Long enough for a neighbour, which waits for its time on a busy machine.
    await using browser = await openTestBrowser({ timeLimit: 2_000, concurrency: 3, limits });
    await browser.warm();
    const tree = processTree(pidOf(browser.stats()));
    let done = false;
    const hanging = assert.rejects(browser.print(job(ENDLESS)), {
      code: "timeout",
      message:
        /^Cannot print "test": the document (took longer than 2 s( of browser time \(\d+ s on a busy machine\))?|was not done after .*)$/,
    }).finally(() => done = true);
    const others: Promise<unknown>[] = [];
    const feeding = (async () => {
      while (!done) {
        const printed = browser.print(job("<p>neighbour"));
        others.push(printed);
        await printed;
        // Without a pause it would take its time from the document that hangs.
        await delay(200);
      }
    })();
    await Promise.all([hanging, feeding]);
    assert.ok(others.length > 3);
    assert.deepEqual(await textOf((await browser.print(job("next"))).pdf), ["next"]);
    await allGone(tree);
    // The first time it may have been the browser's fault. Neighbours may have worn one out meanwhile.
    const { timeout, crashed } = browser.stats().stops;
    assert.deepEqual({ timeout, crashed }, { timeout: 2, crashed: 0 });
    assert.equal(browser.stats().failed, 1);
  });

  for (const what of ["browser", "renderer"]) {
    nightTest(`print() ends a ${what} that hangs and prints again on another`, async () => {
      // Long enough for the second browser, which has little of a busy machine.
      await using browser = await openTestBrowser({ timeLimit: 2_000, concurrency: 1 });
      await browser.warm();
      const first = pidOf(browser.stats());
      const tree = processTree(first);
      for (const pid of what === "browser" ? [first] : await renderersUnder(first)) {
        process.kill(pid, "SIGSTOP");
      }
      assert.deepEqual(await textOf((await browser.print(job("whole"))).pdf), ["whole"]);
      await allGone(tree);
      assert.deepEqual(browser.stats().stops, { recycled: 0, timeout: 1, crashed: 0 });
    });
  }

  nightTest("print() ends a document that takes too much memory, and no other", async () => {
    await using browser = await openTestBrowser({ limits: { memoryBytes: 250 * 1024 ** 2 } });
    // 76 bytes that take Chromium more than a gigabyte.
    const greedy = job(
      `<div style="display:grid;grid-template-columns:repeat(10000000,1px)">x</div>`,
    );
    const printing = assert.rejects(browser.print(greedy), {
      code: "too_large",
      retryable: false,
      message: `Cannot print "test": it needs more than 250 MB of browser memory`,
    });
    assert.equal((await browser.print(job("<p>neighbour"))).pages, 1);
    const [pid] = browser.stats().pids;
    await printing;
    assert.deepEqual(await textOf((await browser.print(job("next"))).pdf), ["next"]);
    assert.equal(browser.stats().pids[0], pid, "the browser itself goes on");
  });

  nightTest("print() blames no document for memory that earlier ones left", async () => {
    const limits = { memoryBytes: 450 * 1024 ** 2 };
    await using browser = await openTestBrowser({ concurrency: 1, limits });
    // 250 MB on a new page. Printed again on that page, it holds 600 MB.
    const rows = "<tr><td>1<td>Some article with words<td>12.50<td>3<td>37.50".repeat(3_000);
    for (let count = 0; count < 3; count++) await browser.print(job(`<table>${rows}</table>`));
  });

  nightTest("print() prints no document twice for the memory that a long one left", async () => {
    const lines: string[] = [];
    const log = (_: string, line: string) => void lines.push(line);
    const limits = { memoryBytes: 720 * 1024 ** 2 };
    await using browser = await openTestBrowser({ concurrency: 1, limits, log });
    // 580 MB on a new page. Printed again on that page, it holds 840 MB.
    const rows = "<tr><td>1<td>Some article with words<td>12.50<td>3<td>37.50".repeat(5_000);
    for (let count = 0; count < 3; count++) {
      const { pages } = await browser.print(job(`<table>${rows}</table>`));
      assert.ok(pages > 100, `${pages} pages`);
    }
    assert.deepEqual(lines.filter((line) => line.startsWith("Printing again")), []);
  });

  test("print() prints although the browser was killed, and reports for whom", async () => {
    const lines: string[] = [];
    const log = (level: string, line: string) => void lines.push(`${level}: ${line}`);
    await using browser = await openTestBrowser({ log });
    const asker = { accountId: "acc_long", priority: "transactional" } as const;
    await browser.warm();
    const first = pidOf(browser.stats());
    const long = job(`<p>long${"<p style='columns:3'>x y z".repeat(3_000)}`);
    const printing = Promise.all([browser.print(long, { asker }), browser.print(long)]);
    await delay(50);
    process.kill(first, "SIGKILL");
    const [{ pdf }] = await printing;
    assert.match((await textOf(pdf))[0] ?? "", /^long/);
    assert.notEqual(browser.stats().pids[0], first);
    assert.equal(browser.stats().stops.crashed, 1);
    const again = 'warn: Printing again for account "acc_long": the browser crashed';
    assert.equal(lines.filter((line) => line === again).length, 1, lines.join("\n"));
  });

  test("print() prints although the renderer was killed", async () => {
    await using browser = await openTestBrowser({ concurrency: 1 });
    await browser.warm();
    const pid = pidOf(browser.stats());
    const long = job(`<p>long${"<p style='columns:3'>x y z".repeat(3_000)}`);
    const printing = browser.print(long);
    await delay(50);
    for (const child of await renderersUnder(pid)) process.kill(child, "SIGKILL");
    assert.match((await textOf((await printing).pdf))[0] ?? "", /^long/);
    assert.equal(browser.stats().pids[0], pid, "the browser itself goes on");
  });

  test("print() takes no page whose process has ended while it was idle", async () => {
    const lines: string[] = [];
    const log = (_: string, line: string) => void lines.push(line);
    await using browser = await openTestBrowser({ concurrency: 3, log });
    const long = job(`<p>long${"<p style='columns:3'>x y z".repeat(1_500)}`);
    await Promise.all([long, long, long].map((one) => browser.print(one)));
    const pid = pidOf(browser.stats());
    for (const child of await renderersUnder(pid)) process.kill(child, "SIGKILL");
    // Nothing shows when the browser has noticed.
    await delay(1000);
    assert.equal((await browser.print(job("x"))).pages, 1);
    assert.deepEqual(lines.filter((line) => line.startsWith("Printing again")), []);
  });

  test("print() prints although the browser can open no page", async () => {
    await using browser = await openTestBrowser({ concurrency: 1, isolation: "account" });
    const print = (accountId: string) =>
      browser.print(job("text"), { asker: { accountId, priority: "bulk" } });
    await print("acc_first");
    const broken = pidOf(browser.stats());
    await killZygote(broken);
    // Another account needs a page of its own.
    assert.equal((await print("acc_second")).pages, 1);
    assert.notEqual(browser.stats().pids[0], broken);
  });

  test("print() gives up on browsers that open only their first page", async (context) => {
    const open = PrintPage.open.bind(PrintPage);
    const opened = new WeakSet<object>();
    context.mock.method(PrintPage, "open", (connection: CdpConnection) => {
      if (opened.has(connection)) return Promise.reject(new Error("no more pages"));
      opened.add(connection);
      return open(connection);
    });
    await using browser = await openTestBrowser({ concurrency: 2 });
    const long = job(`<p>long${"<p style='columns:3'>x y z".repeat(3_000)}`);
    // Both lose their browser twice.
    await Promise.all([long, long].map((one) => {
      return assert.rejects(browser.print(one), { code: "unavailable", retryable: true });
    }));
    assert.equal(browser.stats().launches, 2);
  });

  test("print() does not blame a document's content if the origin of its page is killed", async () => {
    // The pages of a killed zygote may hang, for four times the limit.
    await using browser = await openTestBrowser({ concurrency: 1, timeLimit: 10_000 });
    const slow = job(`<p>slow${"<p style='columns:3'>x y z".repeat(20_000)}`);
    const printing = assert.rejects(browser.print(slow), { code: "crashed", retryable: true });
    await until(() => browser.stats().pids[0] !== undefined);
    const first = pidOf(browser.stats());
    process.kill(first, "SIGKILL");
    await until(() => ![first, undefined].includes(browser.stats().pids[0]));
    const second = pidOf(browser.stats());
    await until(async () => (await renderersUnder(second)).length > 0);
    await delay(1500);
    await killZygote(second);
    await printing;
  });

  nightTest("print() gives up on a document that takes the browser with it twice", async () => {
    await using browser = await openTestBrowser({ concurrency: 1 });
    const printing = assert.rejects(browser.print(job(ENDLESS)), {
      code: "crashed",
      retryable: true,
    });
    let last = 0;
    for (let kills = 0; kills < 2;) {
      await delay(100);
      const [pid] = browser.stats().pids;
      if (pid === undefined || pid === last || (await renderersUnder(pid)).length === 0) continue;
      process.kill(last = pid, "SIGKILL");
      kills++;
    }
    await printing;
    assert.equal((await browser.print(job("next"))).pages, 1);
  });

  nightTest(
    "print() does not blame a document's content for a page that crashes twice",
    async () => {
      await using browser = await openTestBrowser({ concurrency: 1 });
      const printing = assert.rejects(browser.print(job(ENDLESS)), {
        code: "crashed",
        reason: "the browser crashed on it",
      });
      let isOver = false;
      void printing.finally(() => isOver = true);
      while (!isOver) {
        await delay(300);
        const [pid] = browser.stats().pids;
        // A spare one may be among them.
        const renderers = isOver || pid === undefined ? [] : await renderersUnder(pid);
        for (const child of renderers) process.kill(child, "SIGKILL");
      }
      await printing;
      assert.equal((await browser.print(job("next"))).pages, 1);
    },
  );

  nightTest("print() replaces browsers between documents", async () => {
    await using browser = await openTestBrowser({ browserAge: 1000 });
    const trees: number[][] = [];
    let batches = 0;
    // A browser still prints while its successor starts.
    for (; browser.stats().stops.recycled < 2 && batches < 200; batches++) {
      await Promise.all(Array.from({ length: 4 }, (_, n) => browser.print(job(`<p>${n}`))));
      browser.inspect();
      trees.push(processTree(pidOf(browser.stats())));
    }
    assert.equal(browser.stats().printed, 4 * batches);
    assert.equal(browser.stats().failed, 0);
    assert.equal(browser.stats().stops.recycled, 2);
    await browser[Symbol.asyncDispose]();
    await allGone(trees.flat());
  });

  nightTest("print() replaces a browser that uses too much memory", async () => {
    await using browser = await openTestBrowser({ browserMemory: 1, concurrency: 1 });
    await browser.print(job("<p>x"));
    assert.ok(browser.inspect() > 1);
    await until(() => browser.stats().stops.recycled > 0);
    assert.equal(browser.stats().stops.recycled, 1);
    assert.equal((await browser.print(job("<p>x"))).pages, 1);
  });

  test("print() leaves nothing of one document in the next", async () => {
    await using browser = await openTestBrowser({ concurrency: 1 });
    const victim = job(
      `<title>V</title><style>p{margin:0}h1{font-family:mine}:root{--c:teal}</style>` +
        `<style title=b>p{color:green}</style><p style="color:var(--c)" class=x>SECOND<h1>2</h1>`,
    );
    const plain = job(`<p class=x>SECOND<h1>2</h1><ol><li>a`);
    const wanted = [await browser.print(victim), await browser.print(plain)];
    for (const poison of byDay(PRINT_POISONS.slice(0, 3), PRINT_POISONS)) {
      for (const [index, next] of [victim, plain].entries()) {
        const first = browser.print(job(`${poison}<title>FIRST</title><p id=x class=x>FIRST`));
        // A document that navigates may be gone when it is printed.
        await first.catch((error) => assert.match(poison, /refresh/, String(error)));
        const { pdf } = await browser.print(next);
        assert.ok(pdf.equals(wanted[index]?.pdf ?? Buffer.alloc(0)), `after ${poison}`);
      }
    }
    const text = wanted[1]?.pdf.toString("latin1") ?? "";
    assert.ok(!text.includes("FIRST"));
  });

  test("print() ends the wait of a caller that gives up, and not the print", async () => {
    await using browser = await openTestBrowser({ concurrency: 1 });
    const long = job(`<p>long${"<p style='columns:3'>x y z".repeat(3_000)}`);
    const running = new AbortController();
    const queued = new AbortController();
    const first = browser.print(long, { signal: running.signal });
    const second = browser.print(job("never"), { signal: queued.signal });
    const third = browser.print(job("third"));
    const seen = Promise.all([
      assert.rejects(first, { code: "aborted" }),
      assert.rejects(second, { code: "aborted" }),
    ]);
    running.abort();
    queued.abort();
    await seen;
    assert.deepEqual(await textOf((await third).pdf), ["third"]);
    assert.equal(browser.stats().printed, 1);
    await assert.rejects(browser.print(long, { signal: AbortSignal.abort() }), { code: "aborted" });
  });

  test("print() reports that the browser did not start, and tries again next time", async () => {
    await using browser = await openTestBrowser({ launchTimeout: 1 });
    await assert.rejects(browser.print(job("x")), {
      code: "unavailable",
      message: `Cannot print "test": the browser did not start`,
    });
    await assert.rejects(browser.print(job("x")), { code: "unavailable" });
    assert.equal(browser.stats().launches, 2);
  });

  test("healthy() starts a browser again that did not start, and replaces an idle one that hangs", async () => {
    await using unready = await openTestBrowser({ launchTimeout: 1 });
    await assert.rejects(unready.print(job("x")), { code: "unavailable" });
    assert.equal(await unready.healthy(), false);
    // No document may follow.
    assert.equal(unready.stats().launches, 2);

    await using hung = await openTestBrowser();
    await hung.warm();
    const pid = pidOf(hung.stats());
    process.kill(pid, "SIGSTOP");
    assert.equal(await hung.healthy(), false);
    await allGone([pid]);
    assert.equal(await hung.healthy(), true);
  });

  nightTest("openBrowser() lets processes unpack the browser side by side", async (context) => {
    const cacheDir = await mkdtemp(join(tmpdir(), "posthaste-pdf-"));
    context.after(() => rm(cacheDir, { recursive: true, force: true }));
    // The user of the browser must be able to enter it.
    await chmod(cacheDir, 0o755);
    const options = { cacheDir, path: undefined, home: undefined };
    const [a, b] = await Promise.all([openTestBrowser(options), openTestBrowser(options)]);
    await using _a = a;
    await using _b = b;
    assert.equal(a.engine, b.engine);
    assert.equal((await b.print(job("x"))).pages, 1);
    assert.notEqual(cacheDir, CACHE_DIR);
  });
});

function pidOf({ pids: [pid] }: { pids: number[] }): number {
  assert.ok(pid !== undefined, "the browser runs");
  return pid;
}

/** Fails unless every process has ended or is a zombie within 3 s. */
async function allGone(pids: readonly number[]): Promise<void> {
  let left: number[] = [];
  for (let n = 0; n < 60; n++) {
    const states = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") X")),
    );
    left = pids.filter((_, index) => !/\) [XZ]/.test(states[index] ?? ""));
    if (left.length === 0) return;
    await delay(50);
  }
  assert.fail(`processes ${left.join(", ")} are still there`);
}
