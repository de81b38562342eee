import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import process from "node:process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { until } from "@posthaste/kit";
import type { Page } from "playwright-core";
import type { JoinedSystem } from "../shared_system.ts";
import { SENDER } from "../system.ts";
import { expectNoAxeViolations } from "./axe.ts";
import {
  type DashboardFixture,
  type Look,
  openDashboardFixture,
  signInAsDeveloper,
  untilShown,
} from "./dashboard_fixture.ts";

let fixture: DashboardFixture<JoinedSystem>;
let look: Look;
let page: Page;
let inbox: { smtpPort: number; webPort: number };
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  fixture = stack.use(await openDashboardFixture({ isDemo: true }));
  ({ inbox } = fixture.system);
  look = stack.use(await fixture.look("/", { who: "nobody" }));
  page = look.page;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  opened = stack.move();
});
after(() => opened?.disposeAsync());

// Each of these is a step of one job: the next ones use its results.

test("a developer signs in with one click", async () => {
  await untilShown(page);
  await signInAsDeveloper(page);
});

test("a connection test shows its steps, and the integration is made", async () => {
  await goTo("Integrations", "No SMTP server yet");
  await page.getByRole("link", { name: "New integration" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("The inbox");
  await page.getByRole("textbox", { name: "Host" }).fill("127.0.0.1");
  await page.getByText("None", { exact: true }).click();
  await page.getByRole("textbox", { name: "Port" }).fill(`${inbox.smtpPort}`);
  await page.getByRole("switch", { name: "The server requires authentication" }).click();
  await page.getByRole("combobox", { name: "Sender addresses" }).fill(SENDER);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("It works").waitFor();
  const steps = await page.locator("ol > li").allInnerTexts();
  assert.deepEqual(
    steps.map((text) => text.split("\n")[0]),
    ["Look up the host", "Connect", "Greeting", "Encryption", "Login", "Sender"],
  );
  assert.match(steps[2] ?? "", /^220 /m);
  assert.match(steps[5] ?? "", new RegExp(SENDER));
  await expectNoAxeViolations(page);
  await page.getByRole("button", { name: "Create integration" }).click();
  await page.getByRole("heading", { level: 1, name: "The inbox" }).waitFor();
});

test("an email template begins as an example, is previewed, and published", async () => {
  await goTo("Email templates", "Create your first email template");
  await makeTemplate({ name: "Order paid", example: "Receipt" });
  const mail = page.frameLocator('iframe[title="Preview of the mail"]');
  await mail.getByText("Thank you, Zoë").waitFor();
  await page.getByRole("textbox", { name: "Subject" }).fill("Paid: {{ order }}");
  await page.getByRole("region", { name: "Preview" }).getByText("Paid: 2026-0042").waitFor();
  await publish();
});

test("a PDF template shows its pages, and is published", async () => {
  await goTo("PDF templates", "Create your first PDF template");
  await makeTemplate({ name: "Invoice", example: "Invoice" });
  await page.getByText(/^1 page, [\d.]+ KB$/).waitFor();
  await page.getByRole("region", { name: "Pages of the PDF" }).locator("canvas").waitFor();
  await publish();
});

test("a token is generated, shown once, and sends by the commands that the pages offer", async () => {
  const address = page.url();
  await goTo("Tokens", "Tokens");
  await page.getByRole("button", { name: "Generate new token" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Name" }).fill("My shop");
  for (const scope of ["send", "render", "read"]) {
    assert.equal(await form.locator(`input[value="${scope}"]`).isChecked(), true, scope);
  }
  await form.getByRole("button", { name: "Generate token" }).click();
  const token = await form.getByRole("textbox", { name: "My shop" }).inputValue();
  assert.match(token, /^\w{30,}$/);
  await expectNoAxeViolations(page);
  await form.getByRole("button", { name: "Copy token" }).click();
  assert.equal(await readClipboard(), token);
  await form.getByRole("button", { name: "Done" }).click();
  assert.equal((await page.content()).includes(token), false);

  await goTo("Email templates", "Email templates");
  await page.getByRole("link", { name: "Order paid" }).click();
  const send = await copyCommand("Copy as curl", "Send");
  await page.goto(address);
  const attach = await copyCommand("Copy as JSON or curl", "curl");

  await using live = await openMessages();
  const { page: messages } = live;
  await messages.getByText("No messages yet").waitFor();
  let loads = 0;
  messages.on("load", () => loads++);
  const env = { POSTHASTE_TOKEN: token };
  await runInShell(send, env);
  const rows = messages.getByRole("table").getByRole("row").filter({ hasText: "Sent" });
  await until(async () => await rows.count() === 1, {
    message: "the message to arrive in the open page",
  });
  await runInShell(attach, env);
  await until(async () => await rows.count() === 2, {
    message: "the message with the PDF to arrive in the open page",
  });
  assert.equal(loads, 0);

  const caught = await (await fetch(`http://127.0.0.1:${inbox.webPort}/api/messages`)).json() as {
    from: { address: string };
    subject: string;
    attachments: { filename: string; contentType: string; size: number }[];
  }[];
  // Other files have mail sent there.
  const mails = caught.filter(({ from, subject }) =>
    from.address === SENDER && subject.startsWith("Paid")
  );
  assert.deepEqual(mails.map(({ subject }) => subject), ["Paid: 2026-0042", "Paid: 2026-0042"]);
  const [file] = mails.flatMap(({ attachments }) => attachments);
  assert.equal(file?.contentType, "application/pdf");
  assert.ok((file?.size ?? 0) > 5000, JSON.stringify(file));

  await rows.first().getByRole("link").click();
  await messages.getByText("Server's reply").waitFor();
  await messages.getByText(/^(250 )?.*(queued|OK|accepted|caught)/i).first().waitFor();
  await messages.getByRole("link", { name: file?.filename ?? "" }).waitFor();
  assert.deepEqual([...look.faults, ...live.faults], []);
});

async function goTo(label: string, text: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: label }).click();
  await page.getByRole("heading", { name: text }).first().waitFor();
}

async function makeTemplate({ name, example }: { name: string; example: string }): Promise<void> {
  await page.getByRole("button", { name: "New template" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Name" }).fill(name);
  await form.getByRole("radio", { name: example, exact: true }).click();
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

async function publish(): Promise<void> {
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: /ublish$/ }).click();
  // The message of the template before may still be there.
  await page.getByText("Version 1 is now live").last().waitFor();
}

/** Copies the command on a template's page, as a person does. */
async function copyCommand(action: string, tab: string): Promise<string> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("tab", { name: tab, exact: true }).click();
  await dialog.getByRole("tabpanel").getByRole("button", { name: "Copy" }).click();
  await page.keyboard.press("Escape");
  return await readClipboard();
}

function readClipboard(): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Opens the list of messages as the same person, in another window. */
async function openMessages(): Promise<Look> {
  const cookies = await page.context().cookies();
  const other = await fixture.look("/no-such-page", { who: "nobody" });
  await other.page.context().addCookies(cookies);
  await other.page.goto(`${fixture.url}/messages`);
  await other.page.getByRole("switch", { name: "Live", exact: true }).waitFor();
  return other;
}

async function runInShell(command: string, env: Record<string, string>): Promise<void> {
  const options = { env: { ...process.env, ...env } };
  const { stdout } = await promisify(execFile)("sh", ["-c", command], options);
  assert.match(stdout, /"messages"/, stdout);
}
