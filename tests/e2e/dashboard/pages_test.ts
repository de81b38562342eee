import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { byDay, until } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, untilShown, WAITING } from "./dashboard_fixture.ts";
import { pageNamed, PAGES, PAGES_NOW, pathOf } from "./pages.ts";
import type { SeedIds } from "./seed.ts";
import {
  openSeededDashboardFixture,
  type SeededDashboardFixture,
} from "./seeded_dashboard_fixture.ts";
import type { Tabs } from "./tabs.ts";

let fixture: DashboardFixture;
let seed: SeedIds;
let tabs: Tabs;
let opened: SeededDashboardFixture;
before(async () => {
  opened = await openSeededDashboardFixture();
  ({ fixture, seed, tabs } = opened);
});
after(() => opened?.[Symbol.asyncDispose]());

describe("every page", { concurrency: 2 }, () => {
  for (const entry of PAGES_NOW) {
    test(`${entry.name} is accessible, and keeps its policy`, async (context) => {
      const { who = "owner" } = entry;
      const path = pathOf(entry, seed);
      // The test of the stored scripts checks the first view of each address.
      await using look = await (who === "nobody" ? tabs.look(path, who) : tabs.goOn(path, who));
      const { page, faults } = look;
      await untilShown(page);
      await page.evaluate(noteMotions);
      await entry.open?.(page);
      await untilShown(page);
      await context.test("without motion, for people who prefer less", async () => {
        assert.deepEqual(await page.evaluate(motions), []);
      });
      for (const colorScheme of ["light", "dark"] as const) {
        await context.test(`by people with disabilities, in ${colorScheme} colours`, async () => {
          await page.emulateMedia({ colorScheme });
          await page.waitForTimeout(SETTLED_MS);
          await expectNoAxeViolations(page, colorScheme === "dark" ? "colours" : undefined);
        });
      }
      await context.test("by the keyboard alone, with a visible focus", async () => {
        const { stops, isTrapped } = await walk(page);
        assert.ok(stops > 0);
        assert.equal(isTrapped, false, `${stops} stops, and no end`);
        assert.deepEqual(await unseenStops(page), []);
      });
      await context.test("on a phone", async () => {
        await page.setViewportSize(PHONE);
        const widthOf = () => page.evaluate(() => document.documentElement.scrollWidth);
        // The menu takes a moment to close.
        await until(async () => await widthOf() <= PHONE.width, {
          message: `the page to be no wider than ${PHONE.width} pixels`,
        });
      });
      await context.test("without an error, and within its own policy", () => {
        assert.deepEqual(faults, []);
      });
    });
  }
});

const PREVIEWS = /\/api\/templates\/.*preview/;

describe("placeholders while an answer is on its way", { concurrency: 2 }, () => {
  const HELD: readonly [name: string, held: RegExp][] = [
    ...byDay(["overview"], [
      ...["overview", "messages", "message-sent", "send", "email-templates", "email-template"],
      ...[
        "batches",
        "batch",
        "integrations",
        "integration",
        "tokens",
        "settings-members",
        "settings-audit",
      ],
    ]).map((name) => [name, /\/api\/(?!session)/] as [string, RegExp]),
    ["email-template", PREVIEWS],
    ["pdf-template", PREVIEWS],
  ];
  for (const [name, held] of HELD) {
    const entry = pageNamed(name);
    test(`can be used by people with disabilities: ${name} without ${held.source}`, async () => {
      await using look = await tabs.look("/no-such-page", "owner");
      const { page } = look;
      // Never answered.
      await page.route(held, () => {});
      const asked = page.waitForRequest(held);
      await page.goto(`${fixture.url}${pathOf(entry, seed)}`);
      await asked;
      await page.locator(WAITING).first().waitFor();
      await expectNoAxeViolations(page);
    });
  }

  test("can be used by people with disabilities: a preview that is rendered again", async () => {
    await using look = await fixture.look(`/email-templates/${seed.emailId}`);
    const { page } = look;
    await untilShown(page);
    await page.route(PREVIEWS, () => {});
    await page.getByRole("textbox", { name: "Subject" }).fill("Something else");
    await page.getByRole("status", { name: "Rendering the preview" }).waitFor();
    await expectNoAxeViolations(page);
  });
});

test("every page of the menu is tested", async () => {
  await using look = await fixture.look("/");
  await untilShown(look.page);
  const links = look.page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  // Each names the owner of its page.
  const before = `/a/${fixture.system.accountId}`;
  assert.ok(hrefs.every((href) => href?.startsWith(`${before}/`)), hrefs.join());
  const paths = hrefs.map((href) => href?.slice(before.length));
  assert.ok(paths.length > 0);
  const tested = PAGES.filter(({ who }) => who !== "nobody").map((entry) => pathOf(entry, seed));
  assert.deepEqual(paths.filter((path) => !tested.includes(`${path}`)), []);
});

test("a row of the messages shows the subject, whether there is a PDF, and the words of the server", async () => {
  await using look = await tabs.look(`/messages?send=${seed.sendId}`, "viewer");
  const { page, faults } = look;
  await untilShown(page);
  const list = page.getByRole("table", { name: "Messages, newest first" });
  const rowOf = (name: string) =>
    list.getByRole("row").filter({ hasText: `${name}@reader.example` });
  const words = {
    ada: null,
    nobody: "550 5.1.1 <nobody@reader.example>: Recipient address rejected: User unknown",
    full: "552 5.2.2 Mailbox full",
    busy: "451 4.7.1 Greylisting in action, please come back later",
    grace: null,
  };
  for (const [name, reply] of Object.entries(words)) {
    const cells = rowOf(name).getByRole("cell");
    assert.deepEqual(
      (await cells.nth(1).innerText()).split(/\n+/),
      [`${name}@reader.example`, "Your receipt for order 2026-0042"],
    );
    assert.equal(
      await cells.nth(1).getByRole("img", { name: "With PDF" }).count(),
      name === "ada" ? 1 : 0,
    );
    assert.equal(await cells.nth(2).innerText(), reply ?? "");
  }
  assert.deepEqual(faults, []);
});

describe("the keyboard alone", { concurrency: 2 }, () => {
  test("signs in", async () => {
    await using look = await fixture.look("/", { who: "nobody" });
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

  test("skips the menu: the first Tab shows the link, and Enter leads into the content", async () => {
    await using look = await fixture.look("/tokens");
    const { page } = look;
    await untilShown(page);
    const link = page.getByRole("link", { name: "Skip to the content" });
    // Hidden from eyes alone, it is one pixel.
    const isInView = async () => ((await link.boundingBox())?.height ?? 0) > 20;
    assert.equal(await isInView(), false);
    await page.keyboard.press("Tab");
    assert.equal(await nameOfFocused(page), "Skip to the content");
    await until(isInView, { message: "the link to be in view" });
    const before = page.url();
    await page.keyboard.press("Enter");
    const main = page.getByRole("main");
    assert.equal(await main.evaluate((element) => element === document.activeElement), true);
    assert.equal(page.url(), before);
    await page.keyboard.press("Tab");
    const next = page.locator(":focus");
    assert.equal(await next.evaluate((element) => element.closest("main, nav")?.tagName), "MAIN");
    assert.equal(await isInView(), false);
  });

  test("reaches every page of the menu by Tab and Enter", async () => {
    await using look = await fixture.look("/");
    const { page } = look;
    await untilShown(page);
    const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    for (const label of await links.allInnerTexts()) {
      for (let tabs = 0; tabs < MAX_STOPS && await nameOfFocused(page) !== label; tabs++) {
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      await page.locator('nav [aria-current="page"]', { hasText: label }).waitFor();
      await untilShown(page);
    }
  });
});

/** Time for colours to change, in milliseconds. */
const SETTLED_MS = 100;

/** The narrowest that is common. */
const PHONE = { width: 360, height: 740 };

/** More than any page has. */
const MAX_STOPS = 150;

interface Moving {
  /** The elements that moved, with the properties. */
  moved?: Set<string>;
}

/** Records from now on which elements move, grow, fade or change colour slowly. Runs in the page. */
function noteMotions(): void {
  const moving = globalThis as unknown as Moving;
  const isNoted = moving.moved !== undefined;
  moving.moved = new Set();
  if (isNoted) return;
  document.addEventListener("transitionrun", ({ propertyName, target }) => {
    moving.moved?.add(`${propertyName} of ${(target as Element).outerHTML.slice(0, 200)}`);
  }, true);
}

/** Returns the records of {@linkcode noteMotions}. Runs in the page. */
function motions(): string[] {
  return [...(globalThis as unknown as Moving).moved ?? []];
}

function nameOfFocused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
}

/**
 * Presses Tab until the focus leaves the page or, in a dialog, returns to its start. The look of each stop is
 * recorded. If it returns to another stop, it is trapped.
 */
async function walk(page: Page): Promise<{ stops: number; isTrapped: boolean }> {
  await page.evaluate(rememberHowToLook);
  let stops = 0;
  for (let presses = 0; presses < 2 * MAX_STOPS; presses++) {
    await page.keyboard.press("Tab");
    const came = await page.evaluate(noteStop, {
      number: stops,
      settledMs: SETTLED_MS,
    });
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
    // A focus that returns from the browser's own controls has left a frame that was the last stop.
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

/** Returns the focused element, and records its look. Runs in the page. */
async function noteStop({ number, settledMs }: { number: number; settledMs: number }) {
  const element = document.activeElement as HTMLElement | null;
  if (element === null || element === document.body) return "out";
  const { stop } = element.dataset;
  if (stop === "0") return "out";
  // It goes through the parts of a frame, or of a time, before it leaves.
  if (stop === `${number - 1}`) return "inside";
  if (stop !== undefined) return "again";
  // Editors and frames show it a moment later.
  if (element.matches(".cm-content, iframe")) {
    await new Promise((resolve) => setTimeout(resolve, settledMs));
  }
  element.dataset["stop"] = `${number}`;
  element.dataset["focused"] = (globalThis as unknown as Looking).lookOf(element);
  return "on";
}

interface Looking {
  /** Returns the look of an element and its surroundings: a switch shows its focus beside itself. */
  lookOf(element: HTMLElement): string;
}

/** Runs in the page. */
function rememberHowToLook(): void {
  (document.activeElement as HTMLElement | null)?.blur();
  // The menu is the same as on the page before.
  for (const element of document.querySelectorAll<HTMLElement>("[data-stop]")) {
    delete element.dataset["stop"];
    delete element.dataset["focused"];
  }
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
