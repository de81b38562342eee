import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, untilShown } from "./dashboard_fixture.ts";
import type { SeedIds } from "./seed.ts";
import {
  openSeededDashboardFixture,
  type SeededDashboardFixture,
} from "./seeded_dashboard_fixture.ts";

nightly("services/dashboard/batches_test.ts", "tests/e2e/dashboard/pages_test.ts");

let fixture: DashboardFixture;
let seed: SeedIds;
let opened: SeededDashboardFixture;
before(async () => {
  opened = await openSeededDashboardFixture();
  ({ fixture, seed } = opened);
});
after(() => opened?.[Symbol.asyncDispose]());

const dialogOf = (page: Page) => page.getByRole("dialog");
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });

test("a batch is found by its state, and leads to its messages and its sends", async () => {
  await using look = await fixture.look("/batches", { who: "viewer" });
  const { page, faults } = look;
  await untilShown(page);
  await expectNoAxeViolations(page);
  assert.equal(await page.getByRole("row").count(), 4, "the head, and three batches");
  await page.getByRole("radiogroup", { name: "State of batches" }).getByText("Closed").click();
  await page.getByRole("row").nth(2).waitFor({ state: "detached" });
  await page.getByRole("row").getByRole("link").click();
  await heading(page, "Batch of 5 recipients").waitFor();
  await page.getByText("All messages have ended.").waitFor();
  await expectNoAxeViolations(page);
  const parts = page.getByRole("table", { name: "Parts, newest first" }).getByRole("link");
  assert.deepEqual(await parts.allTextContents(), ["2 recipients", "3 recipients"]);
  await parts.first().click();
  await heading(page, "Send to 2 recipients").waitFor();
  await page.getByRole("link", { name: "The batch that it is a part of" }).click();
  await page.getByRole("link", { name: "1, Failed: show them" }).click();
  await page.getByText("Only messages of one batch").waitFor();
  const failed = page.getByRole("table", { name: "Messages, newest first" }).getByRole("link");
  await failed.getByText("nobody@batch.example").waitFor();
  assert.equal(await failed.count(), 1);
  await page.getByRole("link", { name: "one batch" }).click();
  await heading(page, "Batch of 5 recipients").waitFor();
  // Nothing of it can be stopped.
  assert.equal(await page.getByRole("button", { name: /batch$/ }).count(), 0);
  assert.deepEqual(faults, []);
});

test("an open batch is closed after a question, then canceled, and shows when it would end", async () => {
  await using look = await fixture.look(`/batches/${seed.batches.open}`, { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  await page.getByText("If nobody closes it, it is canceled in 24 hours.").waitFor();
  await page.getByRole("link", { name: "40, Scheduled: show them" }).waitFor();
  await page.getByRole("button", { name: "Close batch" }).click();
  await dialogOf(page).getByText("The mail of 40 recipients leaves then.").waitFor();
  await expectNoAxeViolations(page);
  await dialogOf(page).getByRole("button", { name: "Keep it open" }).click();
  await dialogOf(page).waitFor({ state: "detached" });
  // A question does not stay over another page.
  await page.getByRole("link", { name: "All batches" }).click();
  await heading(page, "Batches").waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Cancel batch" }).click();
  await dialogOf(page).waitFor();
  await page.goForward();
  await heading(page, "Batches").waitFor();
  await dialogOf(page).waitFor({ state: "detached" });
  await page.goBack();
  const { batches } = fixture.system.store;
  const stateOf = async () =>
    (await batches.find(fixture.system.accountId, seed.batches.open))?.state;
  assert.equal(await stateOf(), "open");
  // The server of its integration takes no mail meanwhile: else it would be too late to cancel.
  await fixture.people.editor.ask("POST", `/integrations/${seed.integrations.good}/pause`);
  await page.getByRole("button", { name: "Close batch" }).click();
  await dialogOf(page).getByRole("button", { name: "Close batch" }).click();
  await page.getByText("The batch is closed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Close batch" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel batch" }).click();
  await dialogOf(page).getByText("This cannot be undone.").waitFor();
  await dialogOf(page).getByRole("button", { name: "Cancel batch" }).click();
  await page.getByText("The batch is canceled", { exact: true }).waitFor();
  await page.getByText("Messages that were not sent were canceled").waitFor();
  await page.getByRole("link", { name: "40, Canceled: show them" }).waitFor();
  await page.getByRole("button", { name: "Cancel batch" }).waitFor({ state: "detached" });
  assert.equal(await stateOf(), "canceled");
  assert.deepEqual(faults, []);
});
