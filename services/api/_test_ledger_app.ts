import {
  messageIdOf,
  pageOptionsSchema,
  TOKEN_SCOPES,
  type TokenScope,
} from "@posthaste/contracts";
import { openStore, type Store } from "@posthaste/storage";
import { type Changes, endAttempt, openTestMongo, takeAttempt, withChanges } from "@posthaste/kit";
import { assertAnswers, checkAnswers } from "./_test_answers.ts";
import type { Answer } from "./_test_app.ts";
import { LOOSE_LIMITS, NO_BROKER } from "./_test_deps.ts";
import { withCachedReads } from "./cached_reads.ts";
import { type ApiDeps, type ApiOptions, buildApp } from "./app.ts";

/** The interface over a real ledger, listening, with two accounts. */
export interface LedgerApp extends AsyncDisposable {
  store: Store;
  accountId: string;
  /** Sends a request with a token of these scopes; with all scopes by default. */
  ask(path: string, options?: AskOptions): Promise<Answer & { bytes: Uint8Array }>;
  /** Accepts a send and returns its answer. */
  send(body: Record<string, unknown>): Promise<{ id: string; messages: { id: string }[] }>;
  /** Ends the first attempt of one of its messages. */
  end(sendId: string, index: number, state: EndState): Promise<void>;
}

/** The states in which a message's attempt can end. */
export type EndState = "sent" | "failed" | "unknown" | "sending";

/** How a request is made. */
export interface AskOptions {
  method?: "GET" | "POST" | "PATCH";
  body?: unknown;
  scopes?: readonly TokenScope[];
  headers?: Record<string, string>;
  /** Uses the other account. */
  isOther?: boolean;
}

/** Opens the interface on a database of its own. */
export async function openLedgerApp(
  deps: Changes<ApiDeps> = {},
  options: Changes<ApiOptions> = {},
): Promise<LedgerApp> {
  await using stack = new AsyncDisposableStack();
  const { url, isMigrated } = stack.use(await openTestMongo({ migrates: true }));
  const store = stack.use(await openStore({ url }));
  if (!isMigrated) await store.ensureIndexes();
  const changed = withChanges<ApiDeps>({
    ...withCachedReads(store),
    mustWait: () => false,
    dispatch: () => Promise.resolve(),
    render: ({ variables }) =>
      Promise.resolve({
        ok: true,
        subject: `Hi ${variables["name"]}`,
        html: "<p>x</p>",
        text: "x",
      }),
    ...NO_BROKER,
    now: () => new Date(),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  }, deps);
  const app = buildApp(changed, withChanges(LOOSE_LIMITS, options));
  const faults = checkAnswers(app);
  stack.defer(() => assertAnswers(faults));
  stack.defer(() => app.close());
  const base = await app.listen({ port: 0, host: "127.0.0.1" });
  const own = await settle(store, "Own");
  const other = await settle(store, "Other");
  const tokens = new Map<string, string>();

  async function tokenOf(accountId: string, scopes: readonly TokenScope[]): Promise<string> {
    const key = `${accountId} ${scopes}`;
    const known = tokens.get(key);
    if (known !== undefined) return known;
    const { token } = await store.tokens.create({ accountId, name: key, scopes: [...scopes] });
    tokens.set(key, token);
    return token;
  }

  const ask: LedgerApp["ask"] = async (path, options = {}) => {
    const { method = "GET", body, headers, scopes = TOKEN_SCOPES, isOther = false } = options;
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await tokenOf(isOther ? other : own, scopes)}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
    const text = new TextDecoder().decode(bytes);
    const answered = { status: answer.status, headers: Object.fromEntries(answer.headers) };
    return { ...answered, bytes, body: isJson ? JSON.parse(text) : undefined };
  };
  const rest = stack.move();
  return {
    store,
    accountId: own,
    ask,
    async send(body) {
      const from = { email: "shop@example.com" };
      const path = "/v1/templates/1/send/1";
      const answer = await ask(path, { method: "POST", body: { from, ...body } });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    async end(sendId, index, state) {
      const messageId = messageIdOf(sendId, index);
      await takeAttempt(store, { messageId, attempt: 1 });
      const outcome = { messageId, attempt: 1, at: new Date() };
      if (state === "sending") return;
      if (state === "sent") {
        const reply = { code: 250, response: "250 2.0.0 Ok" };
        await endAttempt(store, "sent", { ...outcome, reply });
      } else if (state === "failed") {
        const reply = { code: 550, enhanced: "5.1.1", response: "550 5.1.1 No such user" };
        await endAttempt(store, "failed", { ...outcome, reply, reason: "Refused" });
      } else await endAttempt(store, "unknown", { ...outcome, reason: "No answer came" });
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

/** Creates an account with an email template, a PDF template and an integration: each is number 1. */
async function settle(store: Store, name: string): Promise<string> {
  const { _id: accountId } = await store.accounts.create({ name });
  const base = { accountId, sourceHash: "x", name };
  const parts = { subject: "Hi", html: "<p>Hi</p>", text: "Hi" };
  await store.templates.publish({
    ...{ ...base, kind: "email", source: parts, parts },
    variables: [
      { name: "name", required: false, default: "you" },
      { name: "company", required: false },
      { name: "note", required: false },
    ],
  });
  await store.templates.publish({
    ...{ ...base, kind: "pdf", source: { html: "x" }, page: pageOptionsSchema.parse({}) },
    parts: { html: "x", filename: "invoice.pdf" },
    variables: [{ name: "number", required: false }],
  });
  await store.integrations.create({
    ...{ accountId, name, host: "smtp.example.com", port: 25, tls: "none", auth: null },
    senders: ["shop@example.com"],
  });
  return accountId;
}
