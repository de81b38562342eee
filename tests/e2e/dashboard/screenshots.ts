/**
 * Takes a picture of every whole page of the dashboard, at three sizes, in light and dark colours, into
 * `e2e/dashboard/screenshots`: `npm run screenshots`, or `npm run screenshots -- messages` for the pages
 * whose names begin so.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { buildDashboard } from "@posthaste/dev";
import { untilShown } from "./dashboard_fixture.ts";
import { PAGES, pathOf } from "./pages.ts";
import { openSeededDashboardFixture } from "./seeded_dashboard_fixture.ts";

const FOLDER = join(import.meta.dirname, "screenshots");

const SIZES = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
};

const CONCURRENCY = 2;

/** The highest picture, in CSS pixels. */
const MAX_HEIGHT = 4000;

const asked = process.argv.slice(2);
const pages = PAGES.filter(({ name }) =>
  asked.length === 0 || asked.some((beginning) => name.startsWith(beginning))
);
await mkdir(FOLDER, { recursive: true });
await buildDashboard({ root: join(import.meta.dirname, "../../..") });
await using opened = await openSeededDashboardFixture();
const { fixture, seed } = opened;
const waiting = pages.flatMap((entry) =>
  Object.entries(SIZES).map(([name, size]) => ({ entry, name, size }))
);
await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    await takePictures(next).catch((error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    });
  }
}));
process.stdout.write(`The pictures are in ${FOLDER}\n`);

async function takePictures({ entry, name, size }: (typeof waiting)[number]): Promise<void> {
  await using look = await fixture.look(pathOf(entry, seed), { who: entry.who ?? "owner", size });
  const { page, faults } = look;
  await untilShown(page);
  await entry.open?.(page);
  await untilShown(page);
  // A frame outside of the window would stay empty in a picture of the whole page.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({
    ...size,
    height: Math.min(Math.max(height, size.height), MAX_HEIGHT),
  });
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    // Charts take their new colours, and lists get their small pictures, a moment later.
    await page.waitForTimeout(scheme === "light" ? 600 : 200);
    const path = join(FOLDER, `${entry.name}-${name}-${scheme}.png`);
    await page.screenshot({ path, animations: "disabled" });
  }
  process.stdout.write(`${entry.name} ${name}${faults.map((fault) => `\n  ${fault}`).join("")}\n`);
}
