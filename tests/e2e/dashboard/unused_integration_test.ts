import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly, openSmtpSink, type SmtpSink } from "@posthaste/kit";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly("tests/e2e/dashboard/main_job_test.ts");

let fixture: DashboardFixture;
let sink: SmtpSink;
before(async () => {
  fixture = await openDashboardFixture();
  sink = await openSmtpSink();
});
after(async () => {
  await sink?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

test("an integration is not used yet until it has sent a mail, also after a test of its connection", async () => {
  const { system } = fixture;
  const integration = await system.connect(sink.port, { name: "New server" });
  await using look = await fixture.look("/integrations");
  const { page, faults } = look;
  await untilShown(page);
  await page.getByText("Not used yet", { exact: true }).waitFor();
  await page.getByRole("link", { name: "New server" }).click();
  await page.getByRole("heading", { level: 1, name: "New server" }).waitFor();
  await page.getByText("Not used yet", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("It works").waitFor();
  await page.reload();
  await untilShown(page);
  await page.getByText("Not used yet", { exact: true }).waitFor();

  const template = await system.publishEmail({ subject: "Hi", html: "<p>Hi</p>" });
  const { id } = await system.send({
    ...{ template, integration },
    to: [{ email: "ada@reader.example" }],
  });
  await system.untilResting(id);
  await page.reload();
  await page.getByText("Ready", { exact: true }).waitFor();
  assert.equal(await page.getByText("Not used yet", { exact: true }).count(), 0);
  assert.deepEqual(faults, []);
});
