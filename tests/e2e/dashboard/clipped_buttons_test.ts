import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { nightly, until } from "@posthaste/kit";
import { clippedButtons, WIDTHS } from "./clipped_buttons.ts";
import { type DashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { PAGES, pathOf } from "./pages.ts";
import type { SeedIds } from "./seed.ts";
import {
  openSeededDashboardFixture,
  type SeededDashboardFixture,
} from "./seeded_dashboard_fixture.ts";
import type { Tabs } from "./tabs.ts";

nightly("tests/e2e/dashboard/pages_test.ts");

let fixture: DashboardFixture;
let seed: SeedIds;
let tabs: Tabs;
let opened: SeededDashboardFixture;
before(async () => {
  opened = await openSeededDashboardFixture();
  ({ fixture, seed, tabs } = opened);
});
after(() => opened?.[Symbol.asyncDispose]());

test("clippedButtons() finds text and boxes that are cut off, and no others", async () => {
  await using look = await fixture.look("/", { who: "nobody" });
  const { page } = look;
  await page.setContent(`<style>button { font: 16px sans-serif; white-space: nowrap }</style>
    <button style="width: 60px; overflow: hidden">Text is cut off here</button>
    <button style="width: 60px; padding: 0"><span>Text spills out of it</span></button>
    <div style="width: 40px; overflow: hidden"><button>Cut by a parent</button></div>
    <button style="position: absolute; left: 2000px">Outside of the page</button>
    <button style="height: 10px; overflow: hidden">Cut in height</button>
    <button>Good</button>
    <div style="width: 40px; overflow: auto"><button>In a place that scrolls</button></div>
    <button title="A long name" style="width: 60px; overflow: hidden">A long name</button>
    <button hidden style="width: 6px; overflow: hidden">Not shown</button>`);
  const found = await clippedButtons(page);
  assert.deepEqual(found.map((one) => one.split(":")[0]), [
    ...["Text is cut off here", "Text spills out of it", "Cut by a parent"],
    ...["Outside of the page", "Cut in height"],
  ]);
});

describe(
  "buttons and tabs are whole on a phone, a tablet and a desktop",
  { concurrency: 2 },
  () => {
    for (const entry of PAGES) {
      test(entry.name, async () => {
        const { who = "owner" } = entry;
        await using look = await tabs.look(pathOf(entry, seed), who);
        const { page } = look;
        await untilShown(page);
        await entry.open?.(page);
        await untilShown(page);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          let clipped: string[] = [];
          // Menus and columns take a moment to fit.
          await until(async () => (clipped = await clippedButtons(page)).length === 0, {
            timeoutMs: 2_000,
            message: `the buttons to fit into ${width} pixels`,
          }).catch((error: unknown) => {
            throw new Error(`At ${width} pixels:\n${clipped.join("\n")}`, { cause: error });
          });
        }
      });
    }
  },
);
