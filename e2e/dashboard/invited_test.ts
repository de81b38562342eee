import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "@posthaste/testing";
import type { Page } from "playwright-core";
import type { JoinedSystem } from "../shared_system.ts";
import { type Desk, type Look, openDesk, untilShown } from "./desk.ts";

const PASSWORD = "correct horse battery";

let desk: Desk<JoinedSystem>;
let look: Look;
let page: Page;
let opened: AsyncDisposableStack;
/** Addresses that no other file invites. */
let domain: string;

before(async () => {
  await using stack = new AsyncDisposableStack();
  desk = stack.use(await openDesk());
  domain = `${desk.system.accountId.slice(-8)}.example`;
  look = stack.use(await desk.look("/no-such-page", { who: "nobody" }));
  page = look.page;
  opened = stack.move();
});
after(() => opened?.disposeAsync());

// Each of these is a step of one story: what one does, the next one goes on with.

test("who is invited gets a mail, and joins by its link with a login of their own", async () => {
  await using owners = await desk.look("/settings/members");
  await untilShown(owners.page);
  const email = `nora@${domain}`;
  await owners.page.getByRole("textbox", { name: "E-mail address" }).fill(email);
  await owners.page.getByRole("button", { name: "Invite", exact: true }).click();
  await owners.page.getByText(`The invitation is on its way to ${email}`).waitFor();
  await page.goto(await linkSentTo(email, "invitation"));
  await page.getByRole("textbox", { name: "Your name" }).fill("Nora");
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: /^Join/ }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  assert.deepEqual(owners.faults, []);
});

test("a changed address is not proven until the link is opened that is sent there", async () => {
  await page.goto(`${desk.url}/settings/you`);
  await untilShown(page);
  const notProven = page.getByText("This address is not proven");
  assert.equal(await notProven.count(), 0);
  const email = `nora.new@${domain}`;
  await page.getByRole("textbox", { name: "E-mail address" }).fill(email);
  await page.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Change address" }).click();
  await notProven.waitFor();
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByText("A mail is on its way").waitFor();
  await page.goto(await linkSentTo(email, "proof"));
  await page.getByRole("button", { name: "Yes, it is mine" }).click();
  await page.waitForURL(/\/a\/acc_\w+\/settings\/you$/);
  await untilShown(page);
  assert.equal(await notProven.count(), 0);
  assert.deepEqual(look.faults, []);
});

/** Waits for the system mail to an address, and gives the link in it. */
async function linkSentTo(address: string, kind: "invitation" | "proof"): Promise<string> {
  const inbox = `http://127.0.0.1:${desk.system.inbox.webPort}/api/messages`;
  const id = await until(async () => {
    const mails = await (await fetch(inbox)).json() as { id: string; to: { address: string }[] }[];
    return mails.find(({ to }) => to.some((one) => one.address === address))?.id ?? false;
  }, { message: `a mail to "${address}"` });
  const mail = await (await fetch(`${inbox}/${id}`)).text();
  const link = new RegExp(`${desk.url}/${kind}/[\\w-]{43}`).exec(mail)?.[0];
  assert.ok(link, mail);
  return link;
}
