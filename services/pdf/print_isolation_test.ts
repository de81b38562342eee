import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { PdfBrowser } from "./browser.ts";
import { openDenyProxy } from "./deny_proxy.ts";
import { findChromium } from "./find_chromium.ts";
import { writeFontConfig } from "./fonts.ts";
import { orderOf, PRINT_LIMITS } from "./print_job.ts";
import { PrintPage } from "./print_page.ts";
import { startBrowser } from "./start_browser.ts";
import { BEFORE_POLICIES, HIDDEN_POLICIES, until } from "@posthaste/kit";
import {
  CACHE_DIR,
  job,
  NO_CHROMIUM,
  openTestBrowser,
  renderersUnder,
  WHERE,
} from "./_test_browser.ts";

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==";
suite("a document of one account", { skip: NO_CHROMIUM }, () => {
  let browser: PdfBrowser;
  before(async () => void (browser = await openTestBrowser({ concurrency: 1 })));
  after(() => browser[Symbol.asyncDispose]());
  const printOf = (accountId: string, html: string) =>
    browser.print(job(html), { asker: { accountId, priority: "transactional" } });

  for (const before of BEFORE_POLICIES) {
    test(`cannot put content before the policy: ${JSON.stringify(before)}`, async () => {
      const { refused } = browser.stats();
      const first = "http://10.0.0.1/first";
      const html = before.replace("<img>", `<img src="${first}">`);
      const { blocked } = await printOf("a", `${html}<img src="http://10.0.0.1/later"><p>x`);
      assert.deepEqual(blocked.sort(), [first, "http://10.0.0.1/later"]);
      assert.equal(browser.stats().refused, refused, "nothing comes as far as the proxy");
    });
  }

  test("does not pass its policy on to documents of others", async () => {
    const invoice = `<style>p{color:teal;font-size:40px}</style><p>Invoice<img src="${PIXEL}">`;
    const wanted = await printOf("b", invoice);
    for (const tag of HIDDEN_POLICIES) {
      await printOf("a", tag);
      const { pdf, blocked } = await printOf("b", invoice);
      assert.deepEqual(blocked, [], tag);
      assert.ok(pdf.equals(wanted.pdf), tag);
    }
  });

  test("shares no process with another account's under account isolation", async () => {
    await using apart = await openTestBrowser({ concurrency: 1, isolation: "account" });
    const seen: number[][] = [];
    for (const accountId of ["a", "b", "a"]) {
      const asker = { accountId, priority: "transactional" } as const;
      await apart.print(job("<p>x"), { asker });
      seen.push((await renderersUnder(apart.stats().pids[0] ?? 0)).sort());
    }
    const [one = [], two = [], again] = seen;
    assert.equal(two.length, one.length + 1);
    assert.deepEqual(again, two, "its page is used again");
  });

  test("has one of eight pages at most, under account isolation", async () => {
    await using apart = await openTestBrowser({ concurrency: 1, isolation: "account" });
    const print = (accountId: string) =>
      apart.print(job("<p>x"), { asker: { accountId, priority: "transactional" } });
    const pagesOpen = async () => (await renderersUnder(apart.stats().pids[0] ?? 0)).length;
    await print("0");
    const spare = await pagesOpen() - 1;
    for (const accountId of "123456789") await print(accountId);
    await until(async () => await pagesOpen() - spare === 8);
  });
});

suite("a page", { skip: NO_CHROMIUM }, () => {
  test("fails to open, and does not hang, when its process ends meanwhile", async () => {
    const { connection, ended, pid } = await startBrowser({
      chromium: await findChromium(WHERE),
      fontsFile: (await writeFontConfig(CACHE_DIR, {})).file,
      home: CACHE_DIR,
      proxyPort: 9,
      sandbox: false,
      niceness: 0,
      launchTimeout: 20_000,
    });
    const send = connection.send.bind(connection);
    const opened = new AbortController();
    const killed = Promise.withResolvers<void>();
    /** Its process may start after the target appears. */
    async function killEach(): Promise<void> {
      while (!opened.signal.aborted) {
        for (const renderer of await renderersUnder(pid)) {
          process.kill(renderer, "SIGKILL");
          killed.resolve();
        }
      }
    }
    let killing: Promise<void> | undefined;
    connection.send = async (command, params) => {
      const result = await send(command, params);
      if (command === "Target.createTarget") {
        killing = killEach();
        await killed.promise;
      }
      return result;
    };
    await assert.rejects(PrintPage.open(connection), { name: "PageCrashError" });
    opened.abort();
    await killing;
    await send("Browser.close", {}).catch(() => undefined);
    await ended;
  });

  test("blocks every request of a document that has no policy", async () => {
    await using proxy = await openDenyProxy();
    const found = await findChromium(WHERE);
    const { file } = await writeFontConfig(CACHE_DIR, {});
    const { connection, ended } = await startBrowser({
      chromium: found,
      fontsFile: file,
      home: CACHE_DIR,
      proxyPort: proxy.port,
      sandbox: false,
      niceness: 0,
      launchTimeout: 20_000,
    });
    try {
      const page = await PrintPage.open(connection);
      const { document, ...order } = orderOf(job(""), PRINT_LIMITS);
      assert.match(document, /Content-Security-Policy/);
      for (
        const html of [`<img src="http://10.0.0.1/x"><iframe src="http://10.0.0.1/y">`, "next"]
      ) {
        await page.print({ ...order, document: html });
        page.clean();
      }
      assert.equal(proxy.refused, 0);
    } finally {
      await connection.send("Browser.close", {}).catch(() => undefined);
      await ended;
    }
  });
});
