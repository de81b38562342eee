import { byDay } from "@posthaste/kit";
import type { Page } from "playwright-core";
import type { Who } from "./dashboard_fixture.ts";
import type { SeedIds } from "./seed.ts";

/** A page for tests and screenshots. */
export interface PageToSee {
  /** Name of its pictures. */
  name: string;
  /** Its path, with the ids of the seed. */
  path: string | ((seed: SeedIds) => string);
  /** The signed-in person. @default {"owner"} */
  who?: Who;
  /** Actions on the page before the check: opening a tab, a dialog. */
  open?: (page: Page) => Promise<void>;
}

const EMAIL = ({ emailId }: SeedIds) => `/email-templates/${emailId}`;
const PDF = ({ pdfId }: SeedIds) => `/pdf-templates/${pdfId}`;
const MAIN_SERVER = ({ integrations }: SeedIds) => `/integrations/${integrations.good}`;
const OPEN_BATCH = ({ batches }: SeedIds) => `/batches/${batches.open}`;
const WEBHOOK = ({ webhookId }: SeedIds) => `/webhooks/${webhookId}`;
const SENT = ({ sentId }: SeedIds) => `/messages/${sentId}`;

/** Every page of the dashboard, and every part of one. A new one belongs here. */
export const PAGES: readonly PageToSee[] = [
  { name: "sign-in", path: "/", who: "nobody" },
  { name: "invitation", path: ({ invitation }) => `/invitation/${invitation}`, who: "nobody" },
  { name: "invitation-signed-in", path: ({ invitation }) => `/invitation/${invitation}` },
  { name: "invitation-gone", path: "/invitation/not-one", who: "nobody" },
  { name: "joining-ended", path: "/joining", who: "nobody" },
  { name: "proof", path: "/proof/not-one" },
  { name: "overview", path: "/" },
  { name: "overview-empty", path: "/", who: "newcomer" },
  { name: "messages", path: "/messages" },
  {
    ...{ name: "messages-pointed", path: "/messages" },
    open: (page) => page.locator("tbody tr").first().hover(),
  },
  { name: "messages-filtered", path: "/messages?state=failed" },
  { name: "messages-no-match", path: "/messages?email=nobody-at-all" },
  { name: "messages-empty", path: "/messages", who: "newcomer" },
  { name: "message-sent", path: SENT },
  { name: "message-text", path: SENT, open: (page) => pickTab(page, "Text part") },
  { name: "message-source", path: SENT, open: (page) => pickTab(page, "HTML source") },
  { name: "message-failed", path: ({ failedId }) => `/messages/${failedId}` },
  { name: "message-deferred", path: ({ deferredId }) => `/messages/${deferredId}` },
  { name: "message-missing", path: "/messages/msg_01jzzzzzzzzzzzzzzzzzzzzzzz0000" },
  { name: "send", path: ({ sendId }) => `/messages/sends/${sendId}` },
  { name: "batches", path: "/batches" },
  { name: "batches-empty", path: "/batches", who: "newcomer" },
  { name: "batch", path: OPEN_BATCH },
  { name: "batch-read-only", path: OPEN_BATCH, who: "viewer" },
  { name: "batch-close", path: OPEN_BATCH, open: (page) => press(page, "Close batch") },
  { name: "batch-cancel", path: OPEN_BATCH, open: (page) => press(page, "Cancel batch") },
  { name: "batch-closed", path: ({ batches }) => `/batches/${batches.closed}` },
  { name: "batch-messages", path: ({ batches }) => `/messages?batch=${batches.closed}` },
  { name: "batch-missing", path: "/batches/bat_01jzzzzzzzzzzzzzzzzzzzzzzz" },
  { name: "message-suppressed", path: ({ suppressedId }) => `/messages/${suppressedId}` },
  { name: "suppressions", path: "/suppressions" },
  { name: "suppressions-read-only", path: "/suppressions", who: "viewer" },
  { name: "suppressions-empty", path: "/suppressions", who: "newcomer" },
  { name: "suppressions-no-match", path: "/suppressions?part=nobody-at-all" },
  {
    ...{ name: "suppressions-new", path: "/suppressions" },
    open: (page) => press(page, "Add address"),
  },
  { name: "suppressions-import", path: "/suppressions", open: lookAtImport },
  {
    ...{ name: "suppressions-remove", path: "/suppressions" },
    open: (page) => press(page, /^Remove /),
  },
  { name: "webhooks", path: "/webhooks" },
  { name: "webhooks-empty", path: "/webhooks", who: "newcomer" },
  {
    ...{ name: "webhooks-new", path: "/webhooks" },
    open: (page) => press(page, "Add webhook"),
  },
  { name: "webhook", path: WEBHOOK },
  { name: "webhook-settings", path: WEBHOOK, open: (page) => pickTab(page, "Settings") },
  { name: "webhook-read-only", path: WEBHOOK, who: "viewer" },
  { name: "email-templates", path: "/email-templates" },
  { name: "email-templates-empty", path: "/email-templates", who: "newcomer" },
  {
    ...{ name: "email-templates-new", path: "/email-templates" },
    open: (page) => press(page, "New template"),
  },
  { name: "email-template", path: EMAIL },
  { name: "email-template-read-only", path: EMAIL, who: "viewer" },
  { name: "email-template-missing", path: "/email-templates/999999" },
  { name: "email-template-text", path: EMAIL, open: (page) => pickTab(page, "Text") },
  { name: "email-template-variables", path: EMAIL, open: (page) => pickTab(page, "Variables") },
  { name: "email-template-sample", path: EMAIL, open: (page) => pickTab(page, "Sample data") },
  { name: "email-preview", path: EMAIL, open: (page) => showPreview(page) },
  { name: "email-preview-phone", path: EMAIL, open: (page) => showPreview(page, "Phone") },
  { name: "email-preview-dark", path: EMAIL, open: (page) => showPreview(page, "Dark") },
  { name: "email-preview-text", path: EMAIL, open: (page) => showPreview(page, "Text") },
  { name: "email-preview-source", path: EMAIL, open: (page) => showPreview(page, "Source") },
  { name: "email-preview-image", path: EMAIL, open: pickImage },
  { name: "email-preview-image-place", path: EMAIL, open: placeImage },
  {
    ...{ name: "email-template-history", path: EMAIL },
    open: (page) => pickAction(page, "History"),
  },
  {
    ...{ name: "email-template-test", path: EMAIL },
    open: (page) => pickAction(page, "Send a test to myself"),
  },
  {
    ...{ name: "email-template-curl", path: EMAIL },
    open: (page) => pickAction(page, "Copy as curl"),
  },
  {
    ...{ name: "email-template-rename", path: EMAIL },
    open: (page) => pickAction(page, "Rename, change alias"),
  },
  {
    ...{ name: "email-template-publish", path: EMAIL },
    open: (page) => press(page, "Publish"),
  },
  { name: "pdf-templates", path: "/pdf-templates" },
  { name: "pdf-templates-empty", path: "/pdf-templates", who: "newcomer" },
  { name: "pdf-template", path: PDF },
  { name: "pdf-template-page", path: PDF, open: (page) => pickTab(page, "Page setup") },
  { name: "pdf-template-variables", path: PDF, open: (page) => pickTab(page, "Variables") },
  { name: "pdf-preview", path: PDF, open: (page) => showPreview(page) },
  { name: "pdf-preview-text", path: PDF, open: editText },
  {
    ...{ name: "pdf-template-curl", path: PDF },
    open: (page) => pickAction(page, "Copy as JSON or curl"),
  },
  { name: "partials", path: "/partials" },
  { name: "partials-empty", path: "/partials", who: "newcomer" },
  {
    ...{ name: "partials-new", path: "/partials" },
    open: (page) => press(page, "New partial"),
  },
  { name: "partial", path: "/partials/footer" },
  { name: "partial-read-only", path: "/partials/footer", who: "viewer" },
  { name: "partial-preview", path: "/partials/footer", open: (page) => showPreview(page) },
  {
    ...{ name: "partial-publish", path: "/partials/footer" },
    open: (page) => press(page, "Publish"),
  },
  { name: "partial-missing", path: "/partials/nothing" },
  { name: "brand", path: "/partials/@brand" },
  { name: "brand-read-only", path: "/partials/@brand", who: "viewer" },
  { name: "brand-empty", path: "/partials/@brand", who: "newcomer" },
  { name: "files", path: "/files" },
  { name: "files-empty", path: "/files", who: "newcomer" },
  { name: "integrations", path: "/integrations" },
  { name: "integrations-empty", path: "/integrations", who: "newcomer" },
  { name: "integration-new", path: "/integrations/new" },
  {
    ...{ name: "integration-consent", path: "/integrations/new" },
    open: (page) => chooseLogin(page, "OAuth 2: a person gives consent"),
  },
  {
    ...{ name: "integration-service-account", path: "/integrations/new" },
    open: (page) => chooseLogin(page, "OAuth 2: Google service account"),
  },
  { name: "consent-ended", path: "/oauth/callback" },
  { name: "integration", path: MAIN_SERVER },
  { name: "integration-read-only", path: MAIN_SERVER, who: "viewer" },
  { name: "integration-test", path: MAIN_SERVER, open: testConnection },
  { name: "integration-signing", path: MAIN_SERVER, open: (page) => pickTab(page, "Signing") },
  { name: "integration-history", path: MAIN_SERVER, open: (page) => pickTab(page, "History") },
  {
    name: "integration-broken",
    path: ({ integrations }) => `/integrations/${integrations.unreachable}`,
  },
  {
    name: "integration-failing",
    path: ({ integrations }) => `/integrations/${integrations.failing}`,
  },
  {
    name: "integration-suspended",
    path: ({ integrations }) => `/integrations/${integrations.suspended}`,
  },
  { name: "integration-missing", path: "/integrations/999999" },
  { name: "tokens", path: "/tokens" },
  { name: "tokens-read-only", path: "/tokens", who: "viewer" },
  { name: "tokens-empty", path: "/tokens", who: "newcomer" },
  {
    ...{ name: "tokens-roll", path: "/tokens" },
    open: (page) => press(page, /^Roll /),
  },
  {
    ...{ name: "tokens-new", path: "/tokens" },
    open: async (page) => {
      await press(page, "Generate new token");
      await press(page, "Limit it further");
    },
  },
  { name: "api", path: "/api-reference" },
  {
    ...{ name: "api-endpoint", path: "/api-reference" },
    open: async (page) => {
      await page.getByText("/v1/templates/{templateId}/send/{integrationId}", { exact: true })
        .click();
    },
  },
  { name: "settings", path: "/settings" },
  { name: "settings-read-only", path: "/settings", who: "viewer" },
  { name: "settings-members", path: "/settings/members" },
  { name: "settings-members-read-only", path: "/settings/members", who: "viewer" },
  { name: "settings-you", path: "/settings/you" },
  {
    ...{ name: "settings-you-close", path: "/settings/you" },
    open: (page) => press(page, "Close your login"),
  },
  { name: "settings-mail", path: "/settings/mail" },
  { name: "settings-mail-read-only", path: "/settings/mail", who: "viewer" },
  { name: "settings-limits", path: "/settings/limits" },
  { name: "settings-audit", path: "/settings/audit" },
  { name: "settings-audit-empty", path: "/settings/audit", who: "newcomer" },
  { name: "nothing-here", path: "/no-such-page" },
];

/** One page of each kind, which `npm test` checks by day. */
const MAIN = [
  ...["sign-in", "overview", "message-sent", "email-template", "settings-members"],
];

/** The pages of a test: all of them, by day one of each kind (`byDay()`). */
export const PAGES_NOW: readonly PageToSee[] = byDay(
  MAIN.map((name) => pageNamed(name)),
  PAGES,
);

/** @throws {Error} There is none */
export function pageNamed(name: string): PageToSee {
  const found = PAGES.find((page) => page.name === name);
  if (found === undefined) throw new Error(`Cannot find the page "${name}"`);
  return found;
}

/** Returns the path of a page. */
export function pathOf({ path }: PageToSee, seed: SeedIds): string {
  return typeof path === "string" ? path : path(seed);
}

async function pickTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name, exact: true }).click();
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: true }).filter({ visible: true }).first().click();
  await page.getByRole("dialog").waitFor();
}

async function pickAction(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
  await page.getByRole("dialog").waitFor();
}

/** Shows the preview if there is no space beside the editor, and one of its tabs. */
async function showPreview(page: Page, look?: string): Promise<void> {
  const sides = page.getByRole("radiogroup", { name: "What is shown" });
  if (await sides.isVisible()) await sides.getByText("Preview").click();
  if (look === undefined) return;
  const looks = page.getByRole("region", { name: "Preview" }).getByRole("radiogroup");
  await looks.getByText(look, { exact: true }).click();
}

async function pickImage(page: Page): Promise<void> {
  await showPreview(page, "Desktop");
  await press(page, "Add an image");
}

/** Chooses a text beside which a new image goes. */
async function placeImage(page: Page): Promise<void> {
  await pickImage(page);
  await page.getByRole("button", { name: /^Use / }).first().click();
  await page.getByRole("button", { name: "Choose its place" }).click();
  await page.getByRole("button", { name: /^Choose the text/ }).first().click();
}

async function editText(page: Page): Promise<void> {
  await showPreview(page);
  await page.getByRole("button", { name: /^Edit the text/ }).nth(3).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).waitFor();
}

async function chooseLogin(page: Page, name: string): Promise<void> {
  await page.getByRole("combobox", { name: "Login", exact: true }).click();
  await page.getByRole("option", { name }).click();
}

async function testConnection(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("It works").waitFor();
}

async function lookAtImport(page: Page): Promise<void> {
  await press(page, "Import");
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  const text = "email\nnew@example.net\nnobody@gone.example\nnot an address\n";
  await (await choosing).setFiles({
    ...{ name: "addresses.csv", mimeType: "text/csv", buffer: Buffer.from(text) },
  });
  await page.getByText("1 new address", { exact: true }).waitFor();
}
