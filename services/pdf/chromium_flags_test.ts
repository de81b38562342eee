import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openIsolated } from "@posthaste/kit";
import type { AttackOrder, AttackResult } from "./_test_attack_process.ts";
import { NO_CHROMIUM } from "./_test_browser.ts";

const PROCESS = fileURLToPath(new URL("_test_attack_process.ts", import.meta.url));
const NAMES = ["by-name", "rebind", "link-dns-prefetch"];

suite("chromiumFlags()", { skip: NO_CHROMIUM }, () => {
  test("prevent every name lookup, even without the proxy", async (context) => {
    await using browsers = await openIsolated(PROCESS);
    if (!browsers.isolated) return context.skip("no network of its own: nobody can tell");
    const namesWithout = async (flags: string[], wait: Partial<AttackOrder>) => {
      const guards = { policy: false, scripts: true, flags };
      const order: AttackOrder = { guards, leaks: NAMES, ...wait };
      return (await browsers.ask(order) as AttackResult).sight.names;
    };
    assert.deepEqual(await namesWithout(["--proxy-server"], { settleMs: 600 }), []);
    const without = ["--proxy-server", "--host-resolver-rules"];
    const seen = await namesWithout(without, { awaited: { names: ["image.canary.test"] } });
    assert.ok(seen.includes("image.canary.test"), `these were seen: ${seen.join()}`);
  });
});
