import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { after, before, suite, test } from "node:test";
import { type IsolatedProcess, LEAKS, openIsolated, PAGE_LEAKS, takesLong } from "@posthaste/kit";
import type { AttackOrder, AttackResult, Guards } from "./_test_attack_process.ts";
import { NO_CHROMIUM } from "./_test_browser.ts";

takesLong();

const PROCESS = fileURLToPath(new URL("_test_attack_process.ts", import.meta.url));
const NO_GUARDS: Guards = { policy: false, scripts: true, flags: "none" };
const RTC = LEAKS.filter(({ name }) => name.startsWith("rtc-")).map(({ name }) => name);

suite("a page that tries every way out", { skip: NO_CHROMIUM }, () => {
  let browsers: IsolatedProcess;
  before(async () => void (browsers = await openIsolated(PROCESS)));
  after(async () => await browsers[Symbol.asyncDispose]());
  const print = async (order: AttackOrder) => await browsers.ask(order) as AttackResult;

  test("reaches nothing, and reads no file, as it is printed", async () => {
    const result = await print({ guards: "product" });
    isClosed(result);
    assert.match(result.text ?? "", /printed/);
    for (const { name } of PAGE_LEAKS) {
      isClosed(await print({ guards: "product", leaks: [name], settleMs: 50 }));
    }
    for (const address of ["169.254.169.254", "[::1]", "2130706433", "canary.test"]) {
      isClosed(await print({ guards: "product", address, frames: ["srcdoc"], settleMs: 50 }));
    }
  });

  test("reaches nothing by scripts and without a policy: proxy and flags suffice", async () => {
    isClosed(await print({ guards: { ...NO_GUARDS, flags: "all" }, settleMs: 1000 }));
  });

  test("reaches nothing without proxy and flags: the policy suffices", async () => {
    const { sight } = await print({ guards: { ...NO_GUARDS, policy: true }, settleMs: 500 });
    assert.deepEqual(sight.requests, []);
  });

  test("leaks without the guards", async () => {
    const leaks = ["img", "link-prefetch", "speculation-prefetch", "websocket", "beacon"];
    const awaited = {
      leaks,
      // Some wait until Chromium is idle, which may never happen on a busy machine.
      differentLeaks: 70,
      names: browsers.isolated ? ["image.canary.test"] : [],
    };
    const bare = await print({ guards: NO_GUARDS, awaited });
    const seen = new Set(bare.sight.requests);
    assert.ok(seen.size >= awaited.differentLeaks, `only ${seen.size} leaks were seen`);
    for (const name of leaks) {
      assert.ok(seen.has(name), name);
    }
    if (browsers.isolated) assert.ok(bare.sight.names.length > 0, "names were looked up");
    const asFile = await print({ guards: { ...NO_GUARDS, asFile: true }, leaks: ["file-iframe"] });
    assert.ok(asFile.readsFile, asFile.text);
  });

  test("leaks without one of the flags", async (context) => {
    const flags = ["--proxy-bypass-list"];
    const bypass = await print({
      ...{
        guards: { ...NO_GUARDS, flags },
        leaks: ["img", "fetch"],
        awaited: { differentLeaks: 2 },
      },
    });
    assert.deepEqual(bypass.sight.requests.sort(), ["fetch", "img"]);
    if (!browsers.isolated) return context.diagnostic("no network of its own: no WebRTC");
    const guards = { ...NO_GUARDS, flags: ["--webrtc-ip", "--force-webrtc-ip"] };
    const talk = await print({ guards, leaks: RTC, awaited: { udp: 1 } });
    assert.ok(talk.sight.udp > 0, "WebRTC was seen");
  });
});

function isClosed({ sight, kernel, readsFile }: AttackResult): void {
  assert.deepEqual(sight, { connections: 0, requests: [], udp: 0, names: [] });
  assert.deepEqual(kernel ?? { udp: 0, tcp: 0 }, { udp: 0, tcp: 0 });
  assert.equal(readsFile, false);
}
