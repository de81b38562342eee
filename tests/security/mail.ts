import { domainToASCII } from "node:url";
import { type Message, pageOptionsSchema } from "@posthaste/contracts";
import {
  type FaultySmtpMessage,
  type Injection,
  injectionStrings,
  inspectMail,
  openFaultySmtp,
  until,
} from "@posthaste/kit";
import { publishEmail, publishPdf } from "@posthaste/templating";
import { DATABASE } from "@posthaste/chaos";
import { type Fixture, openFixture } from "@posthaste/chaos";
import { readJson } from "./_http_verdict.ts";
import { exchangeRaw, requestText } from "./_raw_http.ts";
import type { AttackRow } from "./row.ts";

const FROM = "shop@sender.example";
const HEADERS = ["from", "to", "subject", "message-id", "date", "mime-version", "content-type"];
const BATCH = 100;
const CONCURRENCY = 4;

/** The options of the attack. */
export interface AttackMailOptions {
  /** Number of texts, each of which is tried in every field. */
  tries: number;
  seed: number;
  onProgress?(line: string): void;
}

/**
 * Sends malicious texts in every string of the interface and of templates' output through the whole system, and
 * reads the mail that a server vulnerable to SMTP smuggling accepts.
 */
export async function attackMail(options: AttackMailOptions): Promise<AttackRow[]> {
  const { tries, seed, onProgress = () => {} } = options;
  const injections = injectionStrings({ count: tries, seed: String(seed) });
  await using faulty = await openFaultySmtp({ lenient: true });
  await using fixture = await openFixture({ settings: { api: { TRANSACTIONAL_RATE: "0" } } });
  const target = await openTarget(fixture, faulty.port);
  const rows: AttackRow[] = [];
  const wanted = new Map<string, Wanted>();
  for (const attack of ATTACKS) {
    const started = performance.now();
    const texts = injections.slice(0, attack.most ?? injections.length);
    const requests = await requestsOf(attack, texts, target);
    const row: AttackRow = {
      ...{ attack: `mail: ${attack.name}`, tries: texts.length, through: 0, seconds: 0 },
    };
    rows.push(row);
    let taken = 0;
    await eachOf(requests, async ({ path, body, headers = {} }, more) => {
      const answer = await ask(target, { path, body, headers });
      // A refused text must not prevent the others of its batch.
      if (answer.status === 400 && body.to.length > 1) {
        return more(body.to.map((one) => ({ path, headers, body: { ...body, to: [one] } })));
      }
      const isWrong = answer.status >= 500 || (answer.status === 200 && attack.mayNotPass === true);
      if (isWrong) row.through++;
      for (const [index, { id }] of (answer.body.messages ?? []).entries()) {
        const { from, to } = body;
        const recipient = to[index] ?? { email: "" };
        taken++;
        wanted.set(id, {
          ...{ row, from: from.email, to: recipient.email },
          attachments: recipient.attachments?.length ?? 0,
        });
      }
    });
    row.note = `${taken} mails accepted`;
    row.seconds = (performance.now() - started) / 1000;
    onProgress(`${row.attack}: ${row.tries} tries, ${taken} mails accepted`);
  }
  const failed = await untilAllRest(fixture, target.accountId, wanted.size);
  rows.push(await inspectAll({ messages: faulty.messages, wanted, failed, onProgress }));
  rows.push({
    attack: "mail: commands out of a body, by a server open to smuggling",
    tries: faulty.messages.length,
    through: faulty.counts.violations.length,
    seconds: 0,
  });
  return rows;
}

/** The expected properties of an accepted mail at its arrival. */
interface Wanted {
  row: { through: number };
  from: string;
  to: string;
  attachments: number;
}

interface Target {
  url: string;
  token: string;
  accountId: string;
  integrationId: number;
  pdfId: number;
  /** Publishes a template with a text in each part; returns undefined if it is refused. */
  publish(text: string): Promise<{ email: number; pdf: number } | undefined>;
}

interface Request {
  path: string;
  headers?: Record<string, string>;
  body: { from: { email: string; name?: string }; to: Recipient[] };
}

interface Recipient {
  email: string;
  name?: string;
  variables?: Record<string, string>;
  attachments?: { id: number; filename?: string }[];
}

interface Attack {
  name: string;
  /** Fewer texts than the others. */
  most?: number;
  /** No such request may be accepted. */
  mayNotPass?: boolean;
  /** Returns a request with a text in one field. */
  request?(text: string, target: Target, index: number): Request | undefined;
}

const ATTACKS: readonly Attack[] = [
  { name: "variables in subject, HTML, text and file name" },
  { name: "templates: subject, HTML, text and file name", most: 150 },
  {
    name: "to.name",
    request: (text, target, n) => toOne(target, { email: mailbox(n), name: text }),
  },
  {
    name: "from.name",
    request: (text, target, n) => ({
      ...toOne(target, { email: mailbox(n) }),
      body: { from: { email: FROM, name: text }, to: [{ email: mailbox(n) }] },
    }),
  },
  {
    name: "attachments.filename",
    request: (text, target, n) =>
      toOne(target, { email: mailbox(n), attachments: [{ id: target.pdfId, filename: text }] }),
  },
  { name: "to.email", request: (text, target) => toOne(target, { email: text }) },
  {
    name: "to.email, after an address",
    request: (text, target) => toOne(target, { email: `ann@example.net${text}` }),
  },
  {
    name: "to.email, before an address",
    request: (text, target) => toOne(target, { email: `${text}@example.net` }),
  },
  {
    name: "from.email",
    mayNotPass: true,
    request: (text, target, n) => ({
      ...toOne(target, { email: mailbox(n) }),
      body: { from: { email: `${FROM}${text}` }, to: [{ email: mailbox(n) }] },
    }),
  },
  {
    name: "Idempotency-Key",
    request: (text, target, n) => ({
      ...toOne(target, { email: mailbox(n) }),
      headers: { "idempotency-key": text },
    }),
  },
  {
    name: "template in the path",
    mayNotPass: true,
    request: (text, target, n) => ({
      ...toOne(target, { email: mailbox(n) }),
      path: `/templates/${encodeURIComponent(text.toWellFormed())}/send/${target.integrationId}`,
    }),
  },
  {
    name: "integration in the path",
    mayNotPass: true,
    request: (text, target, n) => ({
      ...toOne(target, { email: mailbox(n) }),
      path: `/templates/malicious/send/${encodeURIComponent(text.toWellFormed())}`,
    }),
  },
];

function mailbox(index: number): string {
  return `to${index}@example.net`;
}

function toOne({ integrationId }: Target, recipient: Recipient): Request {
  const path = `/templates/malicious/send/${integrationId}`;
  return { path, body: { from: { email: FROM }, to: [recipient] } };
}

async function requestsOf(attack: Attack, texts: Injection[], target: Target): Promise<Request[]> {
  if (attack.request !== undefined) {
    return texts.flatMap(({ text }, at) => attack.request?.(text, target, at) ?? []);
  }
  const requests: Request[] = [];
  if (attack.most === undefined) {
    const recipients = texts.map(({ text }, at): Recipient => ({
      email: mailbox(at),
      variables: { text },
      attachments: [{ id: target.pdfId }],
    }));
    for (let start = 0; start < recipients.length; start += BATCH) {
      const [request] = recipients.slice(start, start + 1).map((one) => toOne(target, one));
      if (request === undefined) break;
      request.body.to = recipients.slice(start, start + BATCH);
      requests.push(request);
    }
    return requests;
  }
  for (const [at, { text }] of texts.entries()) {
    const ids = await target.publish(text);
    if (ids === undefined) continue;
    const request = toOne(target, { email: mailbox(at), attachments: [{ id: ids.pdf }] });
    requests.push({ ...request, path: `/templates/${ids.email}/send/${target.integrationId}` });
  }
  return requests;
}

/** Sends a raw request: an HTTP client would refuse some headers. */
async function ask({ url, token }: Target, { path, body, headers }: Required<Request>) {
  const { port, pathname } = new URL(url);
  const lines = [
    ...["Host: x", `Authorization: Bearer ${token}`, "Content-Type: application/json"],
    ...Object.entries(headers).map(([name, text]) =>
      `${name}: ${Buffer.from(text, "utf8").toString("latin1")}`
    ),
  ];
  const bytes = requestText(`POST ${pathname}${path} HTTP/1.1`, lines, JSON.stringify(body));
  const { answers: [answer] } = await exchangeRaw(bytes, {
    ...{ port: Number(port), lingerMs: 0, timeoutMs: 30_000 },
  });
  if (answer === undefined) return { status: 0, body: {} };
  return {
    status: answer.status,
    body: (readJson(Buffer.from(answer.body, "latin1").toString()) ?? {}) as Answered,
  };
}

interface Answered {
  messages?: { id: string }[];
}

/** Processes all items, including those added meanwhile. */
async function eachOf<T>(
  items: readonly T[],
  work: (item: T, more: (items: readonly T[]) => void) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const more = (items: readonly T[]) => void left.push(...items);
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item, more);
  }));
}

/** Waits until no mail is on its way; returns the unsent ones. */
async function untilAllRest(
  { mongo }: Fixture,
  accountId: string,
  count: number,
): Promise<string[]> {
  const messages = mongo.db(DATABASE).collection<Message>("messages");
  await until(
    async () => await messages.countDocuments({ accountId, finishedAt: { $ne: null } }) === count,
    { timeoutMs: 600_000, everyMs: 500, message: "all mail to be finished" },
  );
  const failed = await messages.find({ accountId, state: { $ne: "sent" } }).toArray();
  return failed.map(({ _id, reason }) => `${_id}: ${reason}`);
}

async function inspectAll({ messages, wanted, failed, onProgress }: {
  messages: readonly FaultySmtpMessage[];
  wanted: ReadonlyMap<string, Wanted>;
  failed: string[];
  onProgress(line: string): void;
}): Promise<AttackRow> {
  const started = performance.now();
  const left = new Map(wanted);
  let invented = 0;
  for (const { record, raw } of messages) {
    const id = /^<([^@]+)@/.exec(record.messageId ?? "")?.[1] ?? "";
    const mail = left.get(id);
    if (mail === undefined) {
      invented++;
      onProgress(`Nobody asked for a mail to ${record.to.join()}`);
      continue;
    }
    left.delete(id);
    const [from, to] = [onWire(mail.from), onWire(mail.to)];
    const faults = await inspectMail(raw, {
      ...{ from, to, headers: HEADERS, attachments: mail.attachments },
    });
    if (record.from !== from) faults.push(`it came from ${record.from}`);
    if (record.to.join() !== to) faults.push(`it went to ${record.to.join()}`);
    if (faults.length === 0) continue;
    mail.row.through++;
    onProgress(`To ${to}: ${faults.join("; ")}`);
  }
  for (const line of failed) onProgress(`Not sent: ${line}`);
  return {
    attack: "mail: mails that nobody asked for, or that did not come",
    tries: wanted.size,
    through: invented + Math.abs(left.size - failed.length),
    note: `${failed.length} accepted and failed`,
    seconds: (performance.now() - started) / 1000,
  };
}

function onWire(email: string): string {
  const at = email.lastIndexOf("@") + 1;
  const domain = email.slice(at);
  return email.slice(0, at) + (/\P{ASCII}/u.test(domain) ? domainToASCII(domain) : domain);
}

async function openTarget({ store, pods }: Fixture, port: number): Promise<Target> {
  const { _id: accountId } = await store.accounts.create({ name: "malicious" });
  const { token } = await store.tokens.create({ accountId, name: "malicious", scopes: ["send"] });
  let published = 0;
  const common = () => ({ accountId, name: "Malicious", sourceHash: `malicious/${++published}` });
  const publishPdfWith = async (filename: string) => {
    const { html } = publishPdf({ html: "<p>One page</p>" });
    const { template } = await store.templates.publish({
      ...{ ...common(), kind: "pdf", source: { html }, variables: [] },
      parts: { html, filename },
      page: pageOptionsSchema.parse({}),
    });
    return template.id;
  };
  const publishEmailWith = async (text: string, alias?: string) => {
    const source = { subject: text, html: `<p>${text}</p>`, text };
    const parts = await publishEmail(source);
    const { template } = await store.templates.publish({
      ...{ ...common(), kind: "email", alias, source, variables: [] },
      parts: { subject: parts.subject, html: parts.html, text: parts.text },
    });
    return template.id;
  };
  const pdfId = await publishPdfWith("{{{text}}}");
  await publishEmailWith("{{text}}", "malicious");
  const { id: integrationId } = await store.integrations.create({
    ...{ accountId, name: "lenient", host: "127.0.0.1", port, tls: "none", auth: null },
    senders: [FROM],
  });
  return {
    ...{ url: pods.running("api")[0]?.url ?? "", token, accountId, integrationId, pdfId },
    async publish(text) {
      try {
        return { email: await publishEmailWith(text), pdf: await publishPdfWith(text) };
      } catch {
        return undefined;
      }
    },
  };
}
