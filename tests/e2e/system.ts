import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  ENDPOINTS,
  isTerminal,
  MESSAGE_STATES,
  type MessageState,
  type PageOptionsInput,
  pageOptionsSchema,
  type PinnedAsset,
  type SendAccepted,
  type SendBody,
  type TimelineEntry,
  V1_FORM,
  type VariableDeclaration,
  type Variables,
} from "@posthaste/contracts";
import type { ServiceProcess } from "@posthaste/dev";
import { openStack, type Stack, type StackOptions } from "@posthaste/dev/stack";
import { type IntegrationSettings, openStore, type Store } from "@posthaste/storage";
import { publishEmail as readyEmail, publishPdf as readyPdf } from "@posthaste/templating";
import { answerFault, until } from "@posthaste/kit";

/** How the system under test is started. */
export interface SystemOptions {
  /** More settings, by service. */
  settings?: StackOptions["settings"];
  /** More settings, for all services. */
  env?: Record<string, string>;
  /** Whether the dashboard is part of it. @default {false} */
  dashboard?: boolean;
  /** Whether the webhooks service is part of it. @default {as the dashboard} */
  webhooks?: boolean;
  /** Starts the development inbox as well, at these ports. */
  inbox?: StackOptions["inbox"];
}

/** An answer of the HTTP interface. */
export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** What goes with a request besides its body. */
export interface RequestOptions {
  /** Instead of the token of the account. */
  token?: string;
  headers?: Record<string, string>;
}

/** One recipient of a request. */
export interface Recipient {
  email: string;
  name?: string;
  variables?: Variables;
  attachments?: { id: number; filename?: string; variables?: Variables }[];
}

/** A send as a test asks for it; `from` is an address that every integration has. */
export interface SendOrder extends Omit<SendBody, "from"> {
  template: number | string;
  integration: number;
  from?: { email: string; name?: string };
}

/** The answer of `GET /v1/sends/{id}`. */
export interface SendView {
  id: string;
  messageCount: number;
  settled: boolean;
  states: Partial<Record<MessageState, number>>;
  messages: { id: string; email: string; state: MessageState }[];
}

/** The answer of `GET /v1/messages/{id}`; times are ISO 8601. */
export interface MessageView {
  id: string;
  sendId: string;
  email: string;
  state: MessageState;
  attempt: number;
  acceptedAt: string;
  finishedAt: string | null;
  nextAt: string | null;
  reason: string | null;
  reply: { code?: number; enhanced?: string; response?: string } | null;
  timeline: (Omit<TimelineEntry, "at"> & { at: string })[];
}

/** An email template as a test writes it. */
export interface EmailDraft {
  subject: string;
  html: string;
  text?: string;
  alias?: string;
  name?: string;
  variables?: VariableDeclaration[];
}

/** A PDF template as a test writes it. */
export interface PdfDraft {
  alias?: string;
  html: string;
  /** The XML of an invoice. */
  invoice?: string;
  name?: string;
  filename?: string;
  page?: PageOptionsInput;
  variables?: VariableDeclaration[];
  /** The stored files that it uses. */
  assets?: PinnedAsset[];
}

/** Name of the account of a system that {@linkcode openSystem} starts. */
export const ACCOUNT = "The Shop";

/** A mail that takes longer is lost. Long enough for a busy machine. */
const PATIENCE_MS = 180_000;

/** Address in `from` and in the list of senders of every integration. */
export const SENDER = "shop@sender.example";

/** The addresses and parts of a running system. */
export interface RunningStack extends Pick<Stack, "mongodbUrl" | "apiUrl" | "dashboardUrl"> {
  readonly services: ReadonlyMap<string, Pick<ServiceProcess, "pid" | "healthUrl">>;
}

/** An account of a running system, and what a test does with it. */
export interface AccountOfSystem extends AsyncDisposable {
  readonly stack: RunningStack;
  readonly store: Store;
  readonly accountId: string;
  /** A token with all scopes. */
  readonly token: string;
  /** Publishes a template and returns its id. */
  publishEmail(draft: EmailDraft, accountId?: string): Promise<number>;
  /** Publishes a PDF template and returns its id. */
  publishPdf(draft: PdfDraft, accountId?: string): Promise<number>;
  /** Creates an integration with a server on 127.0.0.1 and returns its id. */
  connect(port: number, settings?: Partial<IntegrationSettings>): Promise<number>;
  post<Body>(path: string, body: unknown, options?: RequestOptions): Promise<Answer<Body>>;
  get<Body>(path: string, options?: RequestOptions): Promise<Answer<Body>>;
  /** Sends, and fails unless the answer is 200. */
  send(order: SendOrder, options?: RequestOptions): Promise<SendAccepted>;
  message(id: string): Promise<MessageView>;
  /** Waits until all messages of a send are in a state that is none of those on the way. */
  untilResting(sendId: string, timeoutMs?: number): Promise<SendView>;
  /** Waits until every message of a send is final: a deferred one continues first. */
  untilDone(sendId: string, timeoutMs?: number): Promise<SendView>;
}

/** The whole system with one account. Disposing stops it, and fails if a part had died by itself. */
export interface System extends AccountOfSystem {
  readonly stack: Stack;
  /** Every line that a service printed, after the service's name and a blank. */
  readonly lines: readonly string[];
}

const MOVING: readonly MessageState[] = ["queued", "sending"];

/** Starts the whole system, each part as a process of its own on data of its own. */
export async function openSystem(options: SystemOptions = {}): Promise<System> {
  const { settings = {}, env = {}, dashboard = false, webhooks = dashboard, inbox } = options;
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-e2e-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const lines: string[] = [];
  const deaths: string[] = [];
  const stack = opened.use(
    await openStack({
      env: {
        ...process.env,
        MONGODB_URL: undefined,
        NATS_URL: undefined,
        ...env,
      },
      dataDir,
      isTemporary: true,
      ...{ dashboard, webhooks },
      ...(inbox === undefined ? {} : { inbox }),
      // On a busy machine a write may take its time: tests see slowness elsewhere.
      settings: {
        ...settings,
        api: { RATE_LIMIT: "0", LEDGER_TIMEOUT: "10s", ...settings.api },
      },
      onLine: (service, line) => lines.push(`${service} ${line}`),
      onUnexpectedExit: (part, reason) => deaths.push(`${part} ${reason}`),
    }),
  );
  const account = opened.use(await openAccount(stack, { name: ACCOUNT }));
  const parts = opened.move();
  return {
    ...account,
    stack,
    lines,
    async [Symbol.asyncDispose]() {
      await parts.disposeAsync();
      if (deaths.length > 0) throw new Error(`Parts died by themselves: ${deaths.join("; ")}`);
    },
  };
}

/** Opens an account of a running system, a new one if it has no id yet, with a token. */
export async function openAccount(
  stack: RunningStack,
  account: { name: string } | { id: string },
): Promise<AccountOfSystem> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openStore({ url: stack.mongodbUrl, appName: "e2e" }));
  const accountId = "id" in account ? account.id : (await store.accounts.create(account))._id;
  const { token } = await store.tokens.create({
    ...{ accountId, name: "e2e", scopes: ["render", "send", "read"] },
  });
  const http = httpOf(stack.apiUrl, token);
  const parts = opened.move();
  return {
    stack,
    store,
    accountId,
    token,
    publishEmail: (draft, owner = accountId) => publishEmail(draft, { store, accountId: owner }),
    publishPdf: (draft, owner = accountId) => publishPdf(draft, { store, accountId: owner }),
    connect: (port, more) => connect(port, { store, accountId, more }),
    ...http,
    async send({ template, integration, ...rest }, options) {
      const body = { from: { email: SENDER }, ...rest };
      const path = `/templates/${template}/send/${integration}`;
      const answer = await http.post<SendAccepted>(path, body, options);
      if (answer.status === 200) return answer.body;
      throw new Error(`Cannot send: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
    message: async (id) => {
      const { status, body } = await http.get<MessageView>(`/messages/${id}`);
      if (status === 200) return body;
      throw new Error(`Cannot read "${id}": ${status} ${JSON.stringify(body)}`);
    },
    untilResting: (sendId, timeoutMs = PATIENCE_MS) =>
      untilAll(http, (state) => !MOVING.includes(state), {
        ...{ sendId, timeoutMs, message: "to come to rest" },
      }),
    untilDone: (sendId, timeoutMs = PATIENCE_MS) =>
      untilAll(http, isTerminal, { sendId, timeoutMs, message: "to be done" }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Waits until all messages of a send are in states that will do. */
function untilAll(
  http: Pick<AccountOfSystem, "get">,
  willDo: (state: MessageState) => boolean,
  { sendId, timeoutMs, message }: { sendId: string; timeoutMs: number; message: string },
): Promise<SendView> {
  return until(async () => {
    const { body } = await http.get<SendView>(`/sends/${sendId}`);
    return MESSAGE_STATES.every((state) => !body.states[state] || willDo(state)) && body;
  }, { timeoutMs, everyMs: 50, message: `"${sendId}" ${message}` });
}

function httpOf(apiUrl: string, ownToken: string): Pick<AccountOfSystem, "post" | "get"> {
  async function ask<Body>(path: string, init: RequestInit, options: RequestOptions) {
    const { token = ownToken, headers } = options;
    const response = await fetch(`${apiUrl}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...headers,
      },
    });
    const payload = await response.text();
    checkAnswer(init.method ?? "GET", response, payload);
    const body = JSON.parse(payload) as Body;
    return { status: response.status, headers: response.headers, body };
  }
  return {
    post: (path, body, options = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return ask(path, { method: "POST", body: text }, options);
    },
    get: (path, options = {}) => ask(path, {}, options),
  };
}

/** Fails if an answer is not as its endpoint promises. */
function checkAnswer(method: string, { status, url, headers }: Response, payload: string): void {
  const { pathname } = new URL(url);
  const endpoint = ENDPOINTS.find((each) =>
    each.method === method &&
    new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname)
  );
  if (endpoint === undefined) return;
  const type = headers.get("content-type") ?? "";
  const fault = answerFault(endpoint, V1_FORM, { status, type, payload });
  if (fault !== undefined) throw new Error(`${method} ${pathname}: ${fault}\n${payload}`);
}

interface Publishing {
  store: Store;
  accountId: string;
}

let published = 0;

async function publishEmail(draft: EmailDraft, { store, accountId }: Publishing) {
  const { alias, name = alias ?? "An email", variables = [], ...source } = draft;
  const { subject, html, text } = await readyEmail(source);
  const { template } = await store.templates.publish({
    accountId,
    kind: "email",
    alias,
    name,
    source,
    parts: { subject, html, text },
    variables,
    sourceHash: String(++published),
  });
  return template.id;
}

async function publishPdf(draft: PdfDraft, { store, accountId }: Publishing) {
  const { filename = "document.pdf", name = "A PDF", page = {}, variables = [], html, alias } =
    draft;
  const xml = draft.invoice === undefined ? {} : { invoice: draft.invoice };
  const ready = readyPdf({ html, ...xml });
  const { template } = await store.templates.publish({
    accountId,
    kind: "pdf",
    name,
    source: { html, ...xml },
    ...(alias === undefined ? {} : { alias }),
    ...(draft.assets === undefined ? {} : { assets: draft.assets }),
    parts: { html: ready.html, filename, ...xml },
    page: pageOptionsSchema.parse(page),
    variables,
    sourceHash: String(++published),
  });
  return template.id;
}

let connected = 0;

async function connect(
  port: number,
  { store, accountId, more }: {
    store: Store;
    accountId: string;
    more: Partial<IntegrationSettings> | undefined;
  },
): Promise<number> {
  const { id } = await store.integrations.create({
    accountId,
    name: `Server ${++connected}`,
    host: "127.0.0.1",
    port,
    tls: "none",
    auth: null,
    senders: [SENDER],
    ...more,
  });
  return id;
}
