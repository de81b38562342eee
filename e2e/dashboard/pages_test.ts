import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@posthaste/testing";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { type Desk, openDesk, untilShown } from "./desk.ts";
import { PAGES, pathOf } from "./pages.ts";
import { plantSeed, type Seed } from "./seed.ts";

let desk: Desk;
let seed: Seed;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  desk = stack.use(await openDesk());
  seed = stack.use(await plantSeed(desk));
  opened = stack.move();
});
after(() => opened?.disposeAsync());

describe("every page", { concurrency: 2 }, () => {
  for (const entry of PAGES) {
    test(`${entry.name} can be used by everybody, and does what it may`, async (context) => {
      await using look = await desk.look(pathOf(entry, seed), { who: entry.who ?? "owner" });
      const { page, faults } = look;
      await untilShown(page);
      await entry.open?.(page);
      await untilShown(page);
      // Half-way from one colour to another there may be too little between text and ground.
      await page.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" });
      for (const colorScheme of ["light", "dark"] as const) {
        await context.test(`by people with disabilities, in ${colorScheme} colours`, async () => {
          await page.emulateMedia({ colorScheme });
          await page.waitForTimeout(SETTLED_MS);
          await expectNoAxeViolations(page);
        });
      }
      await context.test("by the keyboard alone, and what has the focus can be seen", async () => {
        const { stops, isTrapped } = await walk(page);
        assert.ok(stops > 0);
        assert.equal(isTrapped, false, `${stops} stops, and no end`);
        assert.deepEqual(await unseenStops(page), []);
      });
      await context.test("on a phone", async () => {
        await page.setViewportSize(PHONE);
        const widthOf = () => page.evaluate(() => document.documentElement.scrollWidth);
        // The menu takes a moment to go aside.
        await until(async () => await widthOf() <= PHONE.width, {
          timeoutMs: 3000,
          message: `the page to be no wider than ${PHONE.width} pixels`,
        });
      });
      await context.test("without an error, and within its own policy", () => {
        assert.deepEqual(faults, []);
      });
    });
  }
});

test("every page of the menu is among those that are tested", async () => {
  await using look = await desk.look("/");
  await untilShown(look.page);
  const links = look.page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.ok(paths.length > 0);
  const tested = PAGES.filter(({ who }) => who !== "nobody").map((entry) => pathOf(entry, seed));
  assert.deepEqual(paths.filter((path) => !tested.includes(`${path}`)), []);
});

describe("the keyboard alone", { concurrency: 2 }, () => {
  test("signs in", async () => {
    await using look = await desk.look("/", { who: "nobody" });
    await untilShown(look.page);
    const { page } = look;
    const isButton = () => page.evaluate(() => document.activeElement?.tagName === "BUTTON");
    for (let tabs = 0; tabs < 10 && !await isButton(); tabs++) await page.keyboard.press("Tab");
    for (let tabs = 0; tabs < 10 && !(await nameOfFocused(page)).startsWith("Open the"); tabs++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
  });

  test("reaches every page of the menu by Tab and Enter", async () => {
    await using look = await desk.look("/");
    const { page } = look;
    await untilShown(page);
    const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    for (const label of await links.allInnerTexts()) {
      for (let tabs = 0; tabs < MOST_STOPS && await nameOfFocused(page) !== label; tabs++) {
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      await page.locator('nav [aria-current="page"]', { hasText: label }).waitFor();
      await untilShown(page);
    }
  });
});

/** In this time colours have been replaced by others. */
const SETTLED_MS = 100;

/** The narrowest that is common. */
const PHONE = { width: 360, height: 740 };

/** More than any page has. */
const MOST_STOPS = 150;

function nameOfFocused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
}

/**
 * Presses Tab until the focus leaves the page or, in a dialog, comes to where it began. Each stop notes
 * how it looks. Where it comes back to another one, it is trapped.
 */
async function walk(page: Page): Promise<{ stops: number; isTrapped: boolean }> {
  await page.evaluate(rememberHowToLook);
  let stops = 0;
  for (let presses = 0; presses < 2 * MOST_STOPS; presses++) {
    // In an editor of source text Tab indents: Escape and then Tab leave it, as it says.
    if (await page.evaluate(() => document.activeElement?.matches(".cm-content"))) {
      await page.keyboard.press("Escape");
    }
    await page.keyboard.press("Tab");
    // Editors and frames show it a moment later.
    if (await page.evaluate(() => document.activeElement?.matches(".cm-content, iframe"))) {
      await page.waitForTimeout(SETTLED_MS);
    }
    const came = await page.evaluate(([number, before]) => {
      const element = document.activeElement as HTMLElement | null;
      if (element === null || element === document.body) return "out";
      const { stop } = element.dataset;
      if (stop === "0") return "out";
      // It goes through the parts of a frame, or of a time, before it leaves.
      if (stop === before) return "inside";
      if (stop !== undefined) return "again";
      element.dataset["stop"] = `${number}`;
      element.dataset["focused"] = (globalThis as unknown as Looking).lookOf(element);
      return "on";
    }, [stops, `${stops - 1}`] as const);
    if (came === "out") return { stops, isTrapped: false };
    if (came === "again") return { stops, isTrapped: true };
    if (came === "on") stops++;
  }
  return { stops, isTrapped: true };
}

/** Lists stops of {@linkcode walk} that look the same without the focus. */
async function unseenStops(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    // Whoever comes back from the browser's own controls has left a frame that was the last stop.
    dispatchEvent(new Event("focus"));
  });
  await page.waitForTimeout(SETTLED_MS);
  return await page.evaluate(() => {
    const { lookOf } = globalThis as unknown as Looking;
    return [...document.querySelectorAll<HTMLElement>("[data-focused]")]
      .filter((element) => lookOf(element) === element.dataset["focused"])
      .map((element) => element.outerHTML.slice(0, 300));
  });
}

interface Looking {
  /** How an element looks, with what is around it: a switch shows its focus beside itself. */
  lookOf(element: HTMLElement): string;
}

/** Runs in the page. */
function rememberHowToLook(): void {
  (document.activeElement as HTMLElement | null)?.blur();
  (globalThis as unknown as Looking).lookOf = (element) => {
    const around: HTMLElement[] = [];
    for (let one = element.parentElement; one !== null && around.length < 5;) {
      around.push(one);
      one = one.parentElement;
    }
    const near = [element, ...around, ...(element.parentElement?.children ?? [])];
    return near.map((one) => {
      const style = getComputedStyle(one);
      return [style.outline, style.boxShadow, style.borderColor, style.backgroundColor].join();
    }).join(";");
  };
}
