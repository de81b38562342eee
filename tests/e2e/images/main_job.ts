import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SendAccepted } from "@posthaste/contracts";
import { until } from "@posthaste/kit";
import { readPdf } from "../read_pdf.ts";
import type { SendView } from "../system.ts";

/** A running system, and its addresses. */
export interface RunningSystem {
  /** Base of the interface; ends with `/v1`. */
  apiUrl: string;
  dashboardUrl: string;
  /** Base of the development inbox, which the integration sends to. */
  inboxUrl: string;
  /** Runs a command of the operator and returns its output: `["accounts", "list", "--json"]`. */
  operate(args: readonly string[]): Promise<string>;
  /** The folder `dev/demo`, as the operator's commands see it. */
  templates: string;
  /** The same folder here. */
  demo: string;
  /** Where the inbox listens for mail, as the mailer sees it. */
  smtp: { host: string; port: number };
}

/** The duration of the main job. */
export interface MainJob {
  /** From the request to the last mail, in milliseconds. */
  milliseconds: number;
  mails: number;
  pdfs: number;
}

interface InboxMail {
  id: string;
  subject: string;
  attachments: { filename: string; contentType: string; size: number }[];
}

/**
 * Does the whole job with a system that runs somewhere, as its operator and customer would: an account, the
 * demonstration's templates, a token, an integration, one request for three people, their mails with their
 * own PDFs, and their state in the interface. The dashboard shows its page.
 *
 * @throws {Error} If anything is not as it should be.
 */
export async function doMainJob(system: RunningSystem): Promise<MainJob> {
  const token = await prepare(system);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = await readFile(join(system.demo, "send.json"), "utf8");
  const from = performance.now();
  const response = await fetch(`${system.apiUrl}/templates/invoice/send/1`, {
    method: "POST",
    headers,
    body,
  });
  assert.equal(response.status, 200, await response.clone().text());
  const { id, messages } = await response.json() as SendAccepted;
  const mails = await until(async () => {
    const found = await (await fetch(`${system.inboxUrl}/api/messages`)).json() as InboxMail[];
    return found.length >= messages.length && found;
  }, { timeoutMs: 60_000, everyMs: 100, message: "all mails" });
  const milliseconds = performance.now() - from;
  assert.equal(mails.length, messages.length);
  const pdfs = await readPdfs(system.inboxUrl, mails);
  assert.ok(pdfs.some((text) => text.includes("2026-0042") && text.includes("Harbour Blend")));
  assert.ok(pdfs.some((text) => text.includes("2026-0043") && text.includes("Espresso Kontor")));
  await until(async () => {
    const view = await (await fetch(`${system.apiUrl}/sends/${id}`, { headers }))
      .json() as SendView;
    return view.states.sent === messages.length;
  }, { timeoutMs: 15_000, message: "all messages to be sent in the ledger" });
  const page = await fetch(system.dashboardUrl);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<script type="module"[^>]* src="\/assets\//);
  return { milliseconds, mails: mails.length, pdfs: pdfs.length };
}

/** Prepares an account, as an operator does for a new customer. */
async function prepare({ operate, templates, smtp }: RunningSystem): Promise<string> {
  await operate(["accounts", "create", "shop"]);
  await operate(["import", templates, "--account", "shop"]);
  await operate([
    ...["integrations", "create", "--account", "shop", "--name", "inbox", "--tls", "none"],
    ...["--host", smtp.host, "--port", String(smtp.port), "--sender", "billing@northwind.example"],
  ]);
  const made = await operate([
    ...["tokens", "create", "--account", "shop", "--name", "e2e", "--scopes", "render,send,read"],
    "--json",
  ]);
  return JSON.parse(made).token;
}

async function readPdfs(inboxUrl: string, mails: readonly InboxMail[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { id, attachments } of mails) {
    for (const [index, { contentType }] of attachments.entries()) {
      assert.equal(contentType, "application/pdf");
      const response = await fetch(`${inboxUrl}/api/messages/${id}/attachments/${index}`);
      const { pages } = await readPdf(new Uint8Array(await response.arrayBuffer()));
      texts.push(pages.join("\n"));
    }
  }
  return texts;
}
