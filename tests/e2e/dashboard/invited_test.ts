import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly, until } from "@posthaste/kit";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import type { JoinedSystem } from "../shared_system.ts";
import {
  type DashboardFixture,
  type Look,
  openDashboardFixture,
  untilShown,
} from "./dashboard_fixture.ts";

nightly("services/dashboard/people_test.ts", "tests/e2e/dashboard/main_job_test.ts");

const PASSWORD = "correct horse battery";

let fixture: DashboardFixture<JoinedSystem>;
let look: Look;
let page: Page;
let opened: AsyncDisposableStack;
let recoveryCodes: string[];
let password = PASSWORD;
/** Addresses that no other file invites. */
let domain: string;

before(async () => {
  await using stack = new AsyncDisposableStack();
  fixture = stack.use(await openDashboardFixture());
  domain = `${fixture.system.accountId.slice(-8)}.example`;
  look = stack.use(await fixture.look("/no-such-page", { who: "nobody" }));
  page = look.page;
  opened = stack.move();
});
after(() => opened?.disposeAsync());

// Each of these is a step of one story: the next one continues where it ended.

test("an invited person gets a mail, and joins by its link with a login of their own", async () => {
  await using owners = await fixture.look("/settings/members");
  await untilShown(owners.page);
  const email = `nora@${domain}`;
  await owners.page.getByRole("textbox", { name: "Email address" }).fill(email);
  await owners.page.getByRole("button", { name: "Invite", exact: true }).click();
  await owners.page.getByText(`The invitation was sent to ${email}`).waitFor();
  await page.goto(await linkSentTo(email, "invitation"));
  await page.getByRole("textbox", { name: "Your name" }).fill("Nora");
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: /^Join/ }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  assert.deepEqual(owners.faults, []);
});

test("a changed address is unproven until the link sent there is opened", async () => {
  await page.goto(`${fixture.url}/settings/you`);
  await untilShown(page);
  const notProven = page.getByText("This address is not verified");
  assert.equal(await notProven.count(), 0);
  const email = `nora.new@${domain}`;
  await page.getByRole("textbox", { name: "Email address" }).fill(email);
  await page.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Change address" }).click();
  await notProven.waitFor();
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByText("Verification link sent").waitFor();
  await page.goto(await linkSentTo(email, "proof"));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.waitForURL(/\/a\/acc_\w+\/settings\/you$/);
  await untilShown(page);
  assert.equal(await notProven.count(), 0);
  assert.deepEqual(look.faults, []);
});

test("a passkey is added, and requested after the password", async () => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a passkey" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Laptop");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("dialog", { name: "Recovery codes" }).waitFor();
  recoveryCodes = await page.getByRole("dialog").locator("code").allInnerTexts();
  assert.equal(recoveryCodes.length, 10);
  await page.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("Passkey Laptop").waitFor();
  await signInByPassword();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
});

test("an authenticator app is added, and its codes and recovery codes sign in", async () => {
  await page.goto(`${fixture.url}/settings/you`);
  await untilShown(page);
  await page.getByRole("button", { name: "Add an authenticator app" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an authenticator app" });
  await dialog.getByRole("img", { name: "QR code" }).waitFor();
  const secret = /[A-Z2-7]{32}/.exec(await dialog.innerText())?.[0] ?? "";
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const timestamp = Date.now();
  await dialog.getByRole("textbox", { name: "Code" }).fill(totp.generate({ timestamp }));
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("The authenticator app was added").waitFor();
  await signInByPassword();
  // The one before is used up; the next is taken early, as clocks differ.
  const next = totp.generate({ timestamp: timestamp + 30_000 });
  await page.getByRole("textbox", { name: "Code" }).fill(next);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await signInByPassword();
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByRole("textbox", { name: "Recovery code" }).fill(recoveryCodes[0] ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await page.goto(`${fixture.url}/settings/you`);
  await page.getByText("9 recovery codes are left").waitFor();
  assert.deepEqual(look.faults, []);
});

test("sensitive actions require the password again", async () => {
  const { system: { store, accountId } } = fixture;
  const [nora] = await store.people.listByEmail(`nora.new@${domain}`);
  assert.ok(nora);
  await store.people.setMember({ accountId, userId: nora._id, role: "owner" });
  for (const { _id } of await store.sessions.list(nora._id, new Date())) {
    await store.sessions.confirm(_id, new Date(0));
  }
  await page.goto(`${fixture.url}/tokens`);
  await untilShown(page);
  await page.getByRole("button", { name: "Generate new token" }).first().click();
  const form = page.getByRole("dialog", { name: "Generate new token" });
  await form.getByRole("textbox", { name: "Name" }).fill("Shop");
  await page.getByRole("button", { name: "Generate token", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm your identity" });
  await dialog.getByRole("textbox", { name: "Your password" }).fill("wrong horse battery");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Is wrong").waitFor();
  assert.deepEqual((await store.tokens.list(accountId)).filter(({ name }) => name === "Shop"), []);
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Copy token" }).waitFor();
  assert.match(await page.getByRole("textbox", { name: "Shop" }).inputValue(), /^ph_\w{49}$/);
  assert.deepEqual(look.faults.filter((fault) => !/40[03]/.test(fault)), []);
});

test("a forgotten password is reset by a link, and the second factor stays", async () => {
  await page.context().clearCookies();
  await page.goto(fixture.url);
  const email = `nora.new@${domain}`;
  await page.getByRole("textbox", { name: "Email address" }).fill(email);
  await page.getByRole("button", { name: "Forgot password?" }).click();
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText("we have sent a link").waitFor();
  await page.goto(await linkSentTo(email, "reset"));
  password = "another horse entirely";
  await page.getByRole("textbox", { name: "New password" }).fill(password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password was changed").waitFor();
  await signInByPassword();
});

/** Signs out, and in again as far as the password goes. */
async function signInByPassword(): Promise<void> {
  await page.context().clearCookies();
  await page.goto(fixture.url);
  await page.getByRole("textbox", { name: "Email address" }).fill(`nora.new@${domain}`);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Second factor" }).waitFor();
}

/** Waits for the system mail to an address, and returns the link in it. */
async function linkSentTo(address: string, kind: string): Promise<string> {
  const inbox = `http://127.0.0.1:${fixture.system.inbox.webPort}/api/messages`;
  // Others may have come to the same address.
  const wanted = new RegExp(`${fixture.url}/${kind}/[\\w~-]{43,}`);
  return await until(async () => {
    const mails = await (await fetch(inbox)).json() as { id: string; to: { address: string }[] }[];
    for (const { id, to } of mails) {
      if (!to.some((one) => one.address === address)) continue;
      const link = wanted.exec(await (await fetch(`${inbox}/${id}`)).text())?.[0];
      if (link !== undefined) return link;
    }
    return undefined;
  }, { message: `a mail to "${address}" with a link` });
}
