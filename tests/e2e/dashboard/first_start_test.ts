import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import { expectNoAxeViolations } from "./axe.ts";
import {
  type DashboardFixture,
  openUnusedDashboardFixture,
  untilShown,
} from "./dashboard_fixture.ts";

nightly("services/dashboard/sign_in_test.ts", "tests/e2e/dashboard/main_job_test.ts");

const SETUP_CODE = "the-code-of-the-first-start";
const ME = { email: "mia@first.example", password: "four words are quite enough" };

let fixture: Omit<DashboardFixture, "people">;
before(async () => {
  fixture = await openUnusedDashboardFixture({ dashboard: { SETUP_CODE } });
});
after(() => fixture?.[Symbol.asyncDispose]());

test("a dashboard without DEMO_ACCOUNT has no sign-in with one click", async () => {
  const answer = await fetch(`${fixture.url}/api/sign-in/demo`, {
    method: "POST",
    headers: { origin: fixture.url },
  });
  assert.equal(answer.status, 404);
  assert.equal(answer.headers.get("set-cookie"), null);
  await using look = await fixture.look("/", { who: "nobody" });
  await untilShown(look.page);
  assert.equal(await look.page.getByRole("button", { name: /^Open the/ }).count(), 0);
});

test("the first person makes the account with the code, signs out, and in again", async (context) => {
  await using look = await fixture.look("/", { who: "nobody" });
  const { page, faults } = look;
  const field = (name: string) => page.getByRole("textbox", { name, exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const menu = page.getByRole("navigation", { name: "Pages" });

  await context.test("a person without the code makes no account", async () => {
    await page.getByRole("heading", { name: "Create the first account" }).waitFor();
    await expectNoAxeViolations(page);
    await field("Setup code").fill("guessed");
    await field("Account").fill("First Light");
    await field("Your name").fill("Mia");
    await field("Your email address").fill(ME.email);
    await field("Password").fill("short");
    await button("Create account").click();
    await page.getByText("At least 12 characters", { exact: true }).waitFor();
    await field("Password").fill(ME.password);
    await button("Create account").click();
    await page.getByText("The setup code is wrong").waitFor();
    await expectNoAxeViolations(page);
  });

  await context.test("a person with the code is the owner, and sees what to do next", async () => {
    await field("Setup code").fill(SETUP_CODE);
    await button("Create account").click();
    await menu.waitFor();
    await untilShown(page);
    await expectNoAxeViolations(page);
    await button("You and your accounts").click();
    await page.getByText("owner, current").waitFor();
  });

  await context.test("a signed-out person sees nothing", async () => {
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(`${fixture.url}/settings/members`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Create the first account" }).count(), 0);
  });

  await context.test("a wrong password is refused, without the reason", async () => {
    await field("Email address").fill(ME.email);
    await field("Password").fill(`${ME.password}!`);
    await button("Sign in").click();
    const said = page.getByRole("alert");
    await said.waitFor();
    assert.equal(await said.innerText(), "The email address or the password is wrong");
    assert.equal(await menu.count(), 0);
  });

  await context.test("the right password leads to the requested page", async () => {
    await field("Password").fill(ME.password);
    await button("Sign in").click();
    await menu.waitFor();
    await page.getByRole("tab", { name: "Members", selected: true }).waitFor();
    await page.getByText(ME.email).first().waitFor();
  });

  await context.test("the first account cannot be made again", async () => {
    const answer = await fetch(`${fixture.url}/api/sign-in/setup`, {
      method: "POST",
      headers: { origin: fixture.url, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ setupCode: SETUP_CODE, accountName: "Second", name: "Eve" },
        ...{ email: "eve@second.example", password: ME.password },
      }),
    });
    assert.equal(answer.status, 409);
  });
  assert.deepEqual(faults, []);
});

test("a page that was opened before a deployment reloads itself, once", async () => {
  await using look = await fixture.look("/", { who: "nobody" });
  const { page } = look;
  await untilShown(page);
  let loads = 0;
  page.on("load", () => loads++);
  const miss = () => page.evaluate(() => dispatchEvent(new Event("vite:preloadError")));
  await Promise.all([page.waitForEvent("load"), miss().catch(() => {})]);
  await untilShown(page);
  await miss();
  await page.waitForTimeout(300);
  assert.equal(loads, 1);
});
