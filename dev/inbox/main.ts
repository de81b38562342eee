import { once } from "node:events";
import { openInbox } from "./mod.ts";

const { SMTP_PORT, WEB_PORT, DATA_DIR, HOST, ALLOWED_HOSTS, LIMIT } = process.env;

await using inbox = await openInbox({
  dataDir: DATA_DIR || ".posthaste/inbox",
  smtpPort: port("SMTP_PORT", SMTP_PORT || "1025"),
  webPort: port("WEB_PORT", WEB_PORT || "8025"),
  host: HOST || "127.0.0.1",
  limit: Number(LIMIT || 500),
  allowedHosts: ALLOWED_HOSTS ? ALLOWED_HOSTS.split(",") : [],
});
log("inbox is open", { smtpPort: inbox.smtpPort, webPort: inbox.webPort, mails: inbox.count() });
const [signal] = await Promise.race(
  ["SIGTERM", "SIGINT"].map(async (name) => [name, await once(process, name)]),
);
log("inbox is closing", { signal, mails: inbox.count() });

function port(name: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new Error(`Cannot open the inbox: ${name} "${value}" is not a port`);
}

function log(message: string, fields: Record<string, unknown>): void {
  const line = { time: new Date().toISOString(), level: "info", service: "inbox", message };
  process.stdout.write(`${JSON.stringify({ ...line, ...fields })}\n`);
}
