import type { Paint } from "./log_line.ts";
import { demoCommand, type DemoRequest } from "./demo_request.ts";

/** A template of the demonstration. */
export interface SummaryTemplate {
  kind: "email" | "pdf";
  id: number;
  alias: string;
}

/** The addresses of the running parts. */
export interface Summary {
  /** Seconds that the start took. */
  seconds: number;
  request: DemoRequest;
  inboxUrl: string;
  dashboardUrl: string;
  smtpPort: number;
  mongodbUrl: string;
  natsUrl: string;
  /** Path of the data folder, as shown to people. */
  dataDir: string;
  account: string;
  templates: readonly SummaryTemplate[];
}

/** Returns the text for people after the start; no line exceeds 80 columns unless a URL does. */
export function summaryText(summary: Summary, paint: Paint): string {
  const { request, inboxUrl, dashboardUrl } = summary;
  const list = (kind: SummaryTemplate["kind"]) =>
    summary.templates.filter((template) => template.kind === kind)
      .map(({ id, alias }) => `${id} ${alias}`).join(", ");
  const rows: [string, string, string?][] = [
    ["Interface", request.apiUrl],
    ["Dashboard", dashboardUrl, "one click signs in"],
    ["Inbox", inboxUrl, `catches all mail, SMTP on port ${summary.smtpPort}`],
    ["Database", withoutPassword(summary.mongodbUrl)],
    ["Broker", withoutPassword(summary.natsUrl)],
    ["Data", summary.dataDir],
    [],
    ["Account", summary.account],
    ["Templates", `email: ${list("email")}`],
    ["", `PDF: ${list("pdf")}`],
    ["Integration", `${request.integrationId} Development inbox`, `sender ${request.sender}`],
    ["Token", request.token],
  ].map((row) => row as [string, string, string?]);
  const title = `${paint("bold", paint("green", "Posthaste is running"))} ${
    paint("gray", `after ${summary.seconds.toFixed(1)} s; Ctrl-C stops all of it`)
  }`;
  const table = rows.map(([name, value, note]) =>
    name === undefined
      ? ""
      : `  ${name.padEnd(13)}${isUrl(value) ? paint("cyan", value) : value}${
        note === undefined ? "" : paint("gray", `  ${note}`)
      }`
  );
  return [
    "",
    title,
    "",
    ...table,
    "",
    `${paint("bold", "Send a mail with a PDF invoice")}${paint("gray", ": paste this")}`,
    "",
    demoCommand(request),
    "",
    `${paint("bold", "Then read it")}${paint("gray", " at ")}${paint("cyan", inboxUrl)}`,
    "",
  ].join("\n");
}

function isUrl(value: string): boolean {
  return value.includes("://");
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//").replace(/\/?\?.*$/, "");
}
