import {
  type AccessToken,
  accountSchema,
  type EmailVersion,
  type Integration,
  labelsOf,
  type Message,
  messageIdOf,
  parseMessageId,
  type PdfVersion,
  type Send,
  type TemplateKind,
  type VariableDeclaration,
} from "@posthaste/contracts";
import type {
  AssetName,
  NeededAsset,
  PublishedTemplate,
  SummarizedIntegration,
} from "@posthaste/storage";
import { type Changes, withChanges } from "@posthaste/kit";
import type { FastifyInstance } from "fastify";
import { assertAnswers, checkAnswers } from "./_test_answers.ts";
import { LOOSE_LIMITS, NO_BROKER } from "./_test_deps.ts";
import { type ApiDeps, type ApiOptions, buildApp } from "./app.ts";

/** The account of the tokens in {@linkcode TOKENS}. */
export const ACCOUNT = "acc_1";

/** Plain tokens that {@linkcode openTestApp} knows, and their scopes. */
export const TOKENS = {
  ph_all: { accountId: ACCOUNT, scopes: ["render", "send", "read"] },
  ph_render: { accountId: ACCOUNT, scopes: ["render"] },
  ph_send: { accountId: ACCOUNT, scopes: ["send"] },
  ph_read: { accountId: ACCOUNT, scopes: ["read"] },
  ph_other: { accountId: "acc_2", scopes: ["render", "send", "read"] },
  ph_expired: { accountId: ACCOUNT, scopes: ["send"], expiresAt: new Date(0) },
  ph_revoked: { accountId: ACCOUNT, scopes: ["send"], revokedAt: new Date(0) },
} as const satisfies Record<string, Partial<Omit<AccessToken, "scopes">> & { scopes: unknown }>;

/** An interface over a ledger in memory, and a record of what it did. */
export interface TestApp extends AsyncDisposable {
  app: FastifyInstance;
  /** Accepted sends, in order. */
  sends: Send[];
  /** Sends handed to the pipeline. */
  dispatched: Send[];
  /** Files that were stored for sends. */
  kept: NeededAsset[];
  /** Ids of withdrawn sends. */
  withdrawn: string[];
  messages: Message[];
  log: { level: string; message: string }[];
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  ask(method: Method, path: string, asked: Asked): Promise<Answer>;
}

/** A method of the interface. */
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a request consists of. */
interface Asked {
  body?: unknown;
  headers: Record<string, string>;
}

/** An answer, its body read as JSON. */
export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  // deno-lint-ignore no-explicit-any
  body: any;
}

/** A send's path in the account of `ph_all`. */
export const SEND = "/v1/templates/5/send/3";

/** The smallest body of a send. */
export function smallSend(more: Record<string, unknown> = {}) {
  return { from: { email: "shop@example.com" }, to: [{ email: "jane@example.net" }], ...more };
}

function unavailable(): Promise<never> {
  return Promise.reject(new Error("Cannot search: this ledger is in memory"));
}

/** Builds an app whose dependencies are object literals; any of them can be replaced. */
export function openTestApp(
  deps: Changes<ApiDeps> = {},
  options: Changes<ApiOptions> = {},
): TestApp {
  const sends: Send[] = [];
  const kept: NeededAsset[] = [];
  const dispatched: Send[] = [];
  const withdrawn: string[] = [];
  const messages: Message[] = [];
  const log: TestApp["log"] = [];
  const write = (level: string) => (message: string) => void log.push({ level, message });
  const ofKey = (accountId: string, key: string | undefined) =>
    sends.find((send) => send.accountId === accountId && send.idempotency?.key === key) ?? null;
  // Lists and changes are tested over a real ledger (`_test_ledger_app.ts`).
  const changed = withChanges<ApiDeps>({
    tokens: {
      find: (plaintext) => Promise.resolve(tokenOf(plaintext)),
      touch: () => Promise.resolve(),
    },
    versions: {
      latestEmailVersion: (accountId, idOrAlias) =>
        Promise.resolve(
          accountId === ACCOUNT && ["5", "welcome"].includes(`${idOrAlias}`)
            ? emailVersion()
            : null,
        ),
      latestPdfVersion: (accountId, ref) =>
        Promise.resolve(
          accountId === ACCOUNT && (ref === 7 || ref === "invoice") ? pdfVersion() : null,
        ),
      emailVersion: () => Promise.resolve(emailVersion()),
      pdfVersion: () => Promise.resolve(pdfVersion()),
    },
    accountLocale: () => Promise.resolve(undefined),
    accounts: {
      find: (_id) =>
        Promise.resolve(accountSchema.parse({ _id, name: "Shop", createdAt: new Date(0) })),
    },
    templates: {
      listPublished: (accountId, kind, { after = 0, limit, only = [] }) => {
        const all = accountId === ACCOUNT ? [publishedTemplate(kind)] : [];
        const isListed = (id: number) => id > after && (only.length === 0 || only.includes(id));
        return Promise.resolve(all.filter(({ id }) => isListed(id)).slice(0, limit));
      },
      findPublished: (accountId, kind, idOrAlias) => {
        const one = publishedTemplate(kind);
        const isIt = accountId === ACCOUNT &&
          [String(one.id), one.alias].includes(String(idOrAlias));
        return Promise.resolve(isIt ? one : null);
      },
    },
    integrations: {
      find: (accountId, id) =>
        Promise.resolve(accountId === ACCOUNT && id === 3 ? integration() : null),
      listSummaries: (accountId) =>
        Promise.resolve(accountId === ACCOUNT ? [summarizedIntegration()] : []),
      findSummary: (accountId, id) =>
        Promise.resolve(accountId === ACCOUNT && id === 3 ? summarizedIntegration() : null),
    },
    assets: {
      find: () => Promise.resolve(null),
      findName: (accountId, name) =>
        Promise.resolve(accountId === ACCOUNT && name === "logo" ? keptLogo() : null),
      findShown: () => Promise.resolve(null),
      keep: (_, needed) => {
        kept.push(...needed);
        return Promise.resolve();
      },
    },
    sends: {
      findByIdempotencyKey: (accountId, key) => Promise.resolve(ofKey(accountId, key)),
      accept: (send) => {
        const existing = send.idempotency && ofKey(send.accountId, send.idempotency.key);
        if (existing) return Promise.resolve({ accepted: false, existing });
        sends.push(send);
        return Promise.resolve({ accepted: true });
      },
      withdraw: ({ _id }) => {
        withdrawn.push(_id);
        return Promise.resolve(true);
      },
      find: (accountId, id) =>
        Promise.resolve(sends.find((s) => s.accountId === accountId && s._id === id) ?? null),
      search: unavailable,
    },
    messages: {
      findWithHead: (accountId, id) => {
        const { sendId, index = 0 } = parseMessageId(id) ?? {};
        const send = sends.find((one) => one.accountId === accountId && one._id === sendId);
        const recipient = send?.request.to[index];
        if (send === undefined || recipient === undefined) return Promise.resolve(null);
        const message = messages.find(({ _id }) => _id === id) ??
          queuedMessage(send, { index, email: recipient.email });
        const labels = labelsOf(send.request, recipient);
        const hasPdfs = (recipient.attachments ?? []).length > 0;
        return Promise.resolve({ message, send, labels, hasPdfs });
      },
      findPlaces: () => Promise.resolve(new Map()),
      list: (accountId, sendId) =>
        Promise.resolve(messages.filter((m) => m.accountId === accountId && m.sendId === sendId)),
      groupReasons: () => Promise.resolve([]),
      ...{ search: unavailable, labelsOfFound: unavailable, retry: unavailable },
      ...{ cancel: unavailable, cancelSend: unavailable, cancelSome: unavailable },
    },
    waiting: { rescheduleSend: unavailable },
    batches: {
      ...{ create: unavailable, findCreated: unavailable, find: unavailable, list: unavailable },
      ...{ pinPdfs: unavailable, close: unavailable, cancel: unavailable, count: unavailable },
    },
    suppressions: {
      among: () => Promise.resolve(new Map()),
      ...{ list: unavailable, add: unavailable, remove: unavailable },
    },
    events: { list: unavailable, bounds: unavailable, grown: unavailable },
    audit: { note: unavailable },
    usage: { note: () => Promise.resolve(), list: () => Promise.resolve([]) },
    mustWait: () => false,
    dispatch: (send) => {
      dispatched.push(send);
      return Promise.resolve();
    },
    render: ({ variables }) =>
      Promise.resolve({ ok: true, subject: `Hi ${variables["name"]}`, html: "<p/>", text: "-" }),
    ...NO_BROKER,
    now: () => new Date(),
    logger: {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
    },
  }, deps);
  const app = buildApp(changed, withChanges(LOOSE_LIMITS, options));

  const faults = checkAnswers(app);
  async function inject(
    method: Method,
    url: string,
    { body, headers }: Asked,
  ): Promise<Answer> {
    const answer = await app.inject({
      method,
      url,
      headers: {
        authorization: "Bearer ph_all",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: textOf(body) }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.body && JSON.parse(answer.body),
    };
  }
  return {
    app,
    sends,
    kept,
    dispatched,
    withdrawn,
    messages,
    log,
    post: (path, body, headers = {}) => inject("POST", path, { body, headers }),
    get: (path, headers = {}) => inject("GET", path, { headers }),
    ask: inject,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      assertAnswers(faults);
    },
  };
}

/** Returns the message of a recipient that no worker has handled yet. */
function queuedMessage(
  { _id: sendId, accountId, acceptedAt, integrationId }: Send,
  { index, email }: { index: number; email: string },
): Message {
  return {
    ...{ _id: messageIdOf(sendId, index), sendId, accountId, index, email, acceptedAt },
    ...{ integration: `${accountId}/${integrationId}`, state: "queued", attempt: 0 },
    ...{ sentBy: null, unknownAttempts: [], nextAt: null, waitsFor: null, finishedAt: null },
    ...{ reason: null, reply: null, mimeHash: null, timeline: [] },
  };
}

function textOf(body: unknown): string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

function tokenOf(plaintext: string): AccessToken | null {
  if (!Object.hasOwn(TOKENS, plaintext)) return null;
  const { scopes, ...rest } = TOKENS[plaintext as keyof typeof TOKENS];
  return {
    _id: `hash-of-${plaintext}`,
    name: plaintext,
    prefix: "ph_",
    createdAt: new Date(0),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdBy: null,
    ...{ addresses: [], templates: [], integrations: [] },
    ...rest,
    scopes: [...scopes],
  };
}

const PUBLISHED = { publishedAt: new Date(0), publishedBy: null, isTest: false };

/** Email template 5, alias `welcome`, version 2. */
export function emailVersion(variables: VariableDeclaration[] = []): EmailVersion {
  const parts = { subject: "Hi {{name}}", html: "<p>{{name}}</p>", text: "{{name}}" };
  const base = { ...PUBLISHED, accountId: ACCOUNT, locale: "en", sourceHash: "" };
  const id = { _id: `${ACCOUNT}/email/5/2`, templateId: 5, version: 2, name: "Welcome" };
  return { ...base, ...id, kind: "email", variables, source: parts, parts };
}

/** PDF template 7, alias `invoice`, version 4. */
export function pdfVersion(variables: VariableDeclaration[] = []): PdfVersion {
  const base = { ...PUBLISHED, accountId: ACCOUNT, locale: "en", sourceHash: "" };
  const id = { _id: `${ACCOUNT}/pdf/7/4`, templateId: 7, version: 4, name: "Invoice" };
  const margin = { top: "15mm", right: "15mm", bottom: "15mm", left: "15mm" };
  return {
    ...base,
    ...id,
    kind: "pdf",
    variables,
    source: { html: "" },
    parts: { html: "", filename: "invoice.pdf" },
    page: {
      format: "A4",
      orientation: "portrait",
      margin,
      background: true,
      images: "none",
      missing: "fail",
    },
  };
}

/** Returns what lists contain of template 5 or PDF template 7. */
export function publishedTemplate(kind: TemplateKind): PublishedTemplate {
  const { templateId: id, name, version, publishedAt, locale, variables, variants } =
    kind === "email" ? emailVersion([{ name: "name", required: true }]) : pdfVersion();
  const alias = kind === "email" ? "welcome" : "invoice";
  return {
    ...{ id, alias, name, version, publishedAt, locale, variables },
    variants: Object.keys(variants ?? {}),
  };
}

function summarizedIntegration(): SummarizedIntegration {
  const nothing = { reason: null, since: null, openUntil: null, waiting: 0, signsFor: null };
  return { integration: integration(), state: "ready", ...nothing };
}

function keptLogo(): AssetName {
  const file = { sha256: "ab".repeat(32), size: 5000, filename: "logo.png" };
  const updatedAt = new Date(0);
  return { ...file, accountId: ACCOUNT, name: "logo", contentType: "image/png", updatedAt };
}

function integration(): Integration {
  return {
    _id: `${ACCOUNT}/3`,
    accountId: ACCOUNT,
    id: 3,
    name: "Shop",
    revision: 1,
    host: "smtp.example.com",
    port: 587,
    tls: "starttls",
    ca: null,
    allowInvalidCertificate: false,
    auth: null,
    senders: ["shop@Example.com", "Sales@example.com"],
    maxConnections: 5,
    maxPerMinute: null,
    suspended: null,
    dkim: null,
    archivedAt: null,
    retryForMs: 172_800_000,
    whenUnknown: "retry",
    fallbacks: [],
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}
