import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { type DashboardFixture, untilShown } from "./dashboard_fixture.ts";
import type { SeedIds } from "./seed.ts";
import {
  openSeededDashboardFixture,
  type SeededDashboardFixture,
} from "./seeded_dashboard_fixture.ts";
import type { Tabs } from "./tabs.ts";

nightly("tests/e2e/dashboard/pages_test.ts", "services/dashboard/guard_test.ts");

let fixture: DashboardFixture;
let seed: SeedIds;
let tabs: Tabs;
let opened: SeededDashboardFixture;
before(async () => {
  opened = await openSeededDashboardFixture();
  ({ fixture, seed, tabs } = opened);
});
after(() => opened?.[Symbol.asyncDispose]());

describe("without a connection", () => {
  const LABELS = [
    ...[
      "Messages",
      "Batches",
      "Suppressions",
      "Email templates",
      "PDF templates",
      "Integrations",
      "Webhooks",
      "Tokens",
      "Settings",
    ],
  ];
  for (const label of LABELS) {
    test(`the page ${label} reports it, and returns when the server does`, async () => {
      await using look = await fixture.look("/");
      const { page } = look;
      await untilShown(page);
      await page.context().setOffline(true);
      await goTo(page, label);
      const failed = page.getByText("The dashboard cannot be reached").first();
      await failed.waitFor({ timeout: 20_000 });
      assert.equal(await page.getByRole("navigation", { name: "Pages" }).isVisible(), true);
      await page.context().setOffline(false);
      await page.getByRole("button", { name: "Try again" }).first().click();
      await failed.waitFor({ state: "hidden" });
      await untilShown(page);
    });
  }

  test("unsaved text stays, and can be saved afterwards", async () => {
    await using look = await fixture.look(`/email-templates/${seed.emailId}`);
    const { page } = look;
    await untilShown(page);
    await page.getByRole("textbox", { name: "Subject" }).fill("Written on a train");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The dashboard cannot be reached").first().waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Draft saved").waitFor();
    const path = `/templates/email/${seed.emailId}`;
    const { draft } = await fixture.people.owner.ask<{ draft: { subject: string } }>("GET", path);
    assert.equal(draft.subject, "Written on a train");
  });
});

describe("a viewer", () => {
  const PLACES: readonly [path: () => string, forbidden: RegExp][] = [
    [() => "/email-templates", /^New template$/],
    [() => `/email-templates/${seed.emailId}`, /^(Save draft|Publish)$/],
    [() => `/pdf-templates/${seed.pdfId}`, /^(Save draft|Publish)$/],
    [() => "/integrations", /^(New integration|Resume)/],
    [
      () => `/integrations/${seed.integrations.good}`,
      /^(Save changes|Test connection|Remove integration|Pause)/,
    ],
    [() => `/batches/${seed.batches.open}`, /^(Close|Cancel) batch$/],
    [() => "/suppressions", /^(Import|Export|Add address|Remove)/],
    [() => "/tokens", /^(Generate new token|Revoke)/],
    [() => `/messages/${seed.failedId}`, /^(Send again|Try|Cancel)/],
    [() => `/messages/sends/${seed.sendId}`, /^(Send|Try|Cancel)/],
    [() => "/settings/members", /^(Invite|Remove|Revoke)/],
  ];
  for (const [path, forbidden] of PLACES) {
    test(`is offered none of ${forbidden.source}`, async () => {
      await using owners = await tabs.look(path(), "owner");
      await untilShown(owners.page);
      assert.notEqual(await enabled(owners.page, forbidden), 0, "the owner is offered it");
      await using look = await tabs.look(path(), "viewer");
      await untilShown(look.page);
      assert.equal(await enabled(look.page, forbidden), 0);
    });
  }

  test("is refused the actions that pages do not offer", async () => {
    const { viewer } = fixture.people;
    for (const [method, path] of [["POST", "/tokens"], ["POST", "/templates/email"]] as const) {
      await assert.rejects(viewer.ask(method, path, {}), / 403 /);
    }
  });
});

describe("an id that is not there", () => {
  const PATHS: readonly [path: string, back: string][] = [
    ["/messages/msg_01jzzzzzzzzzzzzzzzzzzzzzzz0000", "All messages"],
    ["/messages/sends/snd_01jzzzzzzzzzzzzzzzzzzzzzzz", "All messages"],
    ["/batches/bat_01jzzzzzzzzzzzzzzzzzzzzzzz", "All batches"],
    ["/email-templates/999999", "Show all email templates"],
    ["/email-templates/none", "Show all"],
    ["/pdf-templates/999999", "Show all PDF templates"],
    ["/integrations/999999", "Show all integrations"],
    ["/integrations/none", "Show all integrations"],
  ];
  for (const [path, back] of PATHS) {
    test(`as in ${path} is reported, with a way back`, async () => {
      await using look = await tabs.look(path, "owner");
      const { page } = look;
      await untilShown(page);
      assert.equal(await page.getByText("Unexpected error").count(), 0);
      await page.getByRole("link", { name: back }).click();
      await page.waitForURL(({ pathname }) =>
        pathname.replace(/^\/a\/[^/]+|\/$/g, "") === `/${path.split("/")[1]}`
      );
      await page.locator('nav [aria-current="page"]').waitFor();
    });
  }
});

async function goTo(page: Page, label: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: label }).click();
}

/** Counts the buttons, and links that look like buttons, that can be used. */
async function enabled(page: Page, name: RegExp): Promise<number> {
  const buttons = page.getByRole("button", { name, disabled: false });
  return await buttons.count() + await page.getByRole("link", { name }).count();
}
