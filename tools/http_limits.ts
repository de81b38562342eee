import {
  BATCH_OPEN_MS,
  MAX_BATCH_PDFS,
  MAX_BATCH_RECIPIENTS,
  MAX_BATCH_SENDS,
  MAX_BATCH_SHARED_BYTES,
  MAX_COPIES_PER_SEND,
  MAX_DRY_RUN_RECIPIENTS,
  MAX_FILE_BYTES,
  MAX_MAIL_BYTES,
  MAX_OPEN_BATCHES,
} from "@posthaste/contracts";
import {
  BYTES_PER_FIELD,
  BYTES_PER_VALUE,
  MAX_DEPTH,
  MAX_FIELDS,
  MAX_NAMES,
  MAX_UNANSWERED,
} from "@posthaste/http";
import {
  describeConfig,
  formatBytes,
  parseBytes,
  parseDuration,
  type SettingDescription,
} from "@posthaste/runtime";

/** What the api exports for this. */
interface ApiLimits {
  CONFIG: Parameters<typeof describeConfig>[0];
  MAX_ASSET_NAMES: number;
  MAX_PDF_TEMPLATES: number;
  MAX_WAITERS: Readonly<Record<"token" | "account" | "all", number>>;
}

// By their places: nothing may import a service.
const FILES = ["config.ts", "resolve_files.ts", "check_send.ts", "feed_waiters.ts"];
const { CONFIG, MAX_ASSET_NAMES, MAX_PDF_TEMPLATES, MAX_WAITERS }: ApiLimits = Object.assign(
  {},
  ...await Promise.all(FILES.map((file) => import(`../services/api/${file}`))),
);
const SETTINGS = new Map(describeConfig(CONFIG).map((each) => [each.name, each]));

/** The limits of the interface, and how much they allow. `{NAME}` stands for the default of a setting. */
const LIMITS: readonly (readonly [limit: string, allowed: string])[] = [
  ["body", "{BODY_LIMIT}"],
  [
    "fields and items of a body",
    `${perBody(BYTES_PER_VALUE)} (one for each ${BYTES_PER_VALUE} bytes of \`BODY_LIMIT\`)`,
  ],
  [
    "fields of a body",
    `${perBody(BYTES_PER_FIELD)} (one for each ${BYTES_PER_FIELD} bytes), ` +
    `${countText(MAX_NAMES)} different names, ${countText(MAX_FIELDS)} in one object`,
  ],
  ["depth of a body", `${MAX_DEPTH} levels`],
  [
    "unanswered requests of one connection",
    `${MAX_UNANSWERED}; above it, the connection is closed`,
  ],
  ["recipients of one request", "{MAX_RECIPIENTS}"],
  [
    "recipients of one batch; parts",
    `${countText(MAX_BATCH_RECIPIENTS)}; ${countText(MAX_BATCH_SENDS)}`,
  ],
  [
    "open batches of one account; time that one stays open",
    `${MAX_OPEN_BATCHES}; ${timeText(BATCH_OPEN_MS)}`,
  ],
  ["what the parts of a batch share", sizeText(MAX_BATCH_SHARED_BYTES)],
  ["different PDF templates of one batch", `${MAX_BATCH_PDFS}`],
  ["attachments of one recipient", "{MAX_ATTACHMENTS}"],
  ["different PDF templates of one send", `${MAX_PDF_TEMPLATES}`],
  ["different kept files of one send", `${MAX_ASSET_NAMES}`],
  ["files for everyone", "{MAX_ATTACHMENTS}"],
  [
    "one file; the files of one mail, encoded",
    `${sizeText(MAX_FILE_BYTES)}; ${sizeText(MAX_MAIL_BYTES)}`,
  ],
  ["copies of one send", countText(MAX_COPIES_PER_SEND)],
  ["requests of one token, per process", "{RATE_LIMIT} in {RATE_WINDOW}"],
  [
    "of these, lists of sends, messages and batches, states of batches, and events of some `types`",
    "{SEARCH_RATE_LIMIT} in 1 s",
  ],
  ["of these, contents, PDFs and dry runs", "{HEAVY_RATE_LIMIT} in 1 s"],
  ["recipients that one dry run fills", `${MAX_DRY_RUN_RECIPIENTS}`],
  [
    "waiting requests for events",
    `${MAX_WAITERS.token} of a token, ${MAX_WAITERS.account} of an account, ` +
    `${countText(MAX_WAITERS.all)} in a process`,
  ],
  ["start of a send, ahead", "{MAX_SCHEDULE}"],
  ["wait for a renderer", "{RENDER_TIMEOUT}"],
  ["wait for a PDF", "{PRINT_TIMEOUT}"],
  ["wait for the database, in one request", "{LEDGER_TIMEOUT}"],
  ["operations that wait for the database, per process", "{LEDGER_OPERATIONS}"],
  ["request bodies in progress, per process", "{BODY_MEMORY}"],
  ["of these, of one account", "{ACCOUNT_BODY_MEMORY}"],
  [
    "sends in transit to the broker, per process",
    "{DISPATCH_RECIPIENTS} recipients, {DISPATCH_MEMORY}",
  ],
  ["recipients left to the reconciler, per process", "{DISPATCH_LEFT}"],
  ["outage of the broker", "{BROKER_AWAY}"],
  [
    "messages of one account with transactional priority, per process",
    "{TRANSACTIONAL_RATE} a second, a burst of {TRANSACTIONAL_BURST}",
  ],
  ["bytes of sends of one account", "{ACCOUNT_DAILY_BYTES} a day (UTC)"],
  ["stored contents of one account", "{ACCOUNT_STORED_BYTES}"],
  [
    "open connections, per process",
    "{MAX_CONNECTIONS}; {MAX_CLIENT_CONNECTIONS} of one IPv4 address or IPv6 /64 network",
  ],
  ["time for a request to arrive", "{REQUEST_TIMEOUT}"],
  ["time without traffic on a connection before its answer is read", "{IDLE_TIMEOUT}"],
];

/** Returns the rows of the table of limits: the limit, what it allows by default, and its settings. */
export function limitRows(): string[][] {
  return LIMITS.map(([limit, allowed]) => {
    const names = allowed.matchAll(/\{(\w+)\}/g).map(([, name = ""]) => name).toArray();
    const text = names.reduce((all, name) => all.replace(`{${name}}`, defaultText(name)), allowed);
    return [limit, text, names.map((name) => `\`${name}\``).join(", ")];
  });
}

function defaultText(name: string): string {
  const { type, default: text } = settingOf(name);
  if (type === "bytes") return sizeText(parseBytes(text) ?? NaN);
  if (type === "duration") return timeText(parseDuration(text) ?? NaN);
  return countText(Number(text));
}

/** @throws {Error} If the api has no such setting with a default. */
function settingOf(name: string): SettingDescription & { default: string } {
  const setting = SETTINGS.get(name);
  if (setting?.default === undefined) {
    throw new Error(`Cannot write docs/http.md: the api has no setting "${name}" with a default`);
  }
  return { ...setting, default: setting.default };
}

/** Returns how many there may be in a body of the largest size, at so many bytes for each. */
function perBody(bytesEach: number): string {
  return countText((parseBytes(settingOf("BODY_LIMIT").default) ?? NaN) / bytesEach);
}

function countText(count: number): string {
  return count.toLocaleString("en");
}

function sizeText(bytes: number): string {
  return formatBytes(bytes).replace(/^\d+/, "$& ");
}

/** Returns milliseconds in the largest unit of which they are a whole number above one, else in seconds. */
function timeText(ms: number): string {
  const units = [["days", 86_400_000], ["hours", 3_600_000], ["min", 60_000]] as const;
  const [unit, size] = units.find(([, size]) => ms % size === 0 && ms > size) ?? ["s", 1000];
  return `${countText(ms / size)} ${unit}`;
}
