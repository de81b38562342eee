import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { FEED_EVENT_TYPES } from "./feed_event.ts";
import { MESSAGE_FILTERS, SEND_LIST_FILTERS } from "./message_filters.ts";
import { WEBHOOK_HEADERS } from "./open_api.ts";
import { pageOptionsSchema } from "./page_options.ts";
import { MIN_PASSWORD } from "./password_length.ts";

/** Returns a page, or a page of the dashboard, as text; the path is from the root. */
async function textOf(path: string): Promise<string> {
  return await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** Returns the names in the first column of the table that has this header. */
function firstColumn(page: string, header: string): string[] {
  const start = page.indexOf(header);
  assert.notEqual(start, -1, `no table "${header}"`);
  const [table = ""] = page.slice(start).split("\n\n");
  const cells = table.split("\n").slice(2).map((row) => row.split("|")[1] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

test("docs/http.md lists each type of event of the feed once", async () => {
  const listed = firstColumn(await textOf("docs/http.md"), "| type | when | `data` |");
  // A test is in no feed: a sentence below the table describes it.
  const types = FEED_EVENT_TYPES.filter((type) => type !== "webhook.test");
  assert.deepEqual(listed.sort(), [...types].sort());
});

test("docs/http.md lists each filter of sends and of messages once", async () => {
  const page = await textOf("docs/http.md");
  for (
    const [heading, filters] of [["sends", SEND_LIST_FILTERS], [
      "messages",
      MESSAGE_FILTERS,
    ]] as const
  ) {
    const [, section = ""] = page.split(`## List ${heading}\n`);
    const listed = firstColumn(section, "| filter | matches |");
    assert.deepEqual(listed.sort(), Object.keys(filters).sort(), heading);
  }
});

test("docs/dashboard.md names the shortest password", async () => {
  const page = (await textOf("docs/dashboard.md")).replaceAll(/\s+/g, " ");
  assert.ok(page.includes(`**Passwords** have ${MIN_PASSWORD} characters at least`));
});

test("docs/webhooks.md shows the headers of a request", async () => {
  const page = await textOf("docs/webhooks.md");
  const shown = [...page.matchAll(/^(webhook-[\w-]+): /gm)].map(([, name]) => name);
  assert.deepEqual(shown.sort(), Object.keys(WEBHOOK_HEADERS).sort());
});

test("docs/pdf.md lists each page option once", async () => {
  const listed = firstColumn(await textOf("docs/pdf.md"), "| option | values | default |");
  assert.deepEqual(listed.sort(), Object.keys(pageOptionsSchema.shape).sort());
});

test("the form of a PDF template has each page option", async () => {
  const form = await textOf("services/dashboard/web/src/pages/templates/page_setup.tsx");
  const missing = Object.keys(pageOptionsSchema.shape).filter((option) =>
    !new RegExp(`\\b${option}:|\\bchange\\(\\{ ${option} |"${option}"`).test(form)
  );
  assert.deepEqual(missing, []);
});
