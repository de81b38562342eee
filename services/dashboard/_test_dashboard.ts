import assert from "node:assert/strict";
import {
  type Account,
  accountSchema,
  type Member,
  newId,
  type NewSession,
  type Role,
  ROLES,
  type Session,
  sessionSchema,
  type TokenScope,
  type User,
  userSchema,
} from "@posthaste/contracts";
import {
  openStore,
  type PasswordCost,
  readMasterKeys,
  sealingKeyOf,
  type Store,
} from "@posthaste/storage";
import { openTestMongo } from "@posthaste/kit";
import type { FastifyInstance } from "fastify";
import { checkAnswers } from "./_test_answers.ts";
import { buildApp } from "./app.ts";
import type { DashboardOptions } from "./dashboard_options.ts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import { ACCOUNT_HEADER, SESSION_COOKIE } from "./guard.ts";
import { beginSession } from "./session.ts";

/** Origin of the dashboard of {@linkcode openTestDashboard}: changes come from here. */
export const ORIGIN = "http://localhost:8081";

/** Required to create the first account. */
export const SETUP_CODE = "setup-code";

/** Limits that the dashboard of a test reports. */
export const LIMITS = {
  ...{ bodyLimit: 5_000_000, maxRecipients: 1000, maxAttachments: 10 },
  ...{ rateLimit: 100, rateWindowMs: 1000, pdfLimit: 10_000_000, mailLimit: 25_000_000 },
};

const DAY_MS = 24 * 3600_000;
const SESSION_AGES = { idleMs: 14 * DAY_MS, totalMs: 30 * DAY_MS };

/** An answer, its body read as JSON. */
export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  // deno-lint-ignore no-explicit-any
  body: any;
  /** The body as it came. */
  text: string;
  /** Cookies that the answer sets, by name; a removed cookie is empty. */
  cookies: Record<string, string>;
}

/** A request as a browser would send it. */
export interface Ask {
  /** Sent as JSON; bytes as they are, with the type that `headers` says. */
  body?: unknown;
  /** Added to those of the browser; an empty value removes a header. */
  headers?: Record<string, string>;
}

type Verb = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** A browser: its requests carry its cookie and, with changes, its origin, its session's token and its account. */
export interface Browser {
  cookie: string;
  csrfToken: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post: Verb;
  put: Verb;
  patch: Verb;
  delete: Verb;
  /** Sends a request with any method. */
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
}

/** A signed-in person. */
export interface Person extends Browser {
  user: User;
  /** The id of the person's session in the store. */
  sessionId: string;
}

/** An account with a member of each role. */
export type TestAccount = Record<Role, Person> & { account: Account; accountId: string };

/** A dashboard over a database of its own. */
export interface TestDashboard extends AsyncDisposable {
  app: FastifyInstance;
  store: Store;
  /** Connection string of the database, for direct access. */
  mongoUrl: string;
  own: TestAccount;
  /** Another account, which must stay hidden from `own`. */
  foreign: TestAccount;
  /** A browser that is signed out. */
  signedOut: Browser;
  /** Every route of the dashboard except `HEAD`, with the role that it requires. */
  routes: { method: string; url: string; role: Role | "anyone"; isForTexts: boolean }[];
  /** Every route below `/manage/v1`, with the scopes that it requires. */
  manageRoutes: { method: string; url: string; scopes: readonly TokenScope[] }[];
  /** All log records. */
  log: { level: string; message: string; fields: unknown }[];
  /** Signs in a user who is a member of the account. */
  signIn(user: User, accountId: string): Promise<Person>;
  /** Returns a program with a token, which sends nothing that browsers send. */
  program(token: string): Browser;
  /** Returns a browser with a cookie of the caller's choice. */
  browser(cookie?: string, csrfToken?: string, accountId?: string): Browser;
}

/** The key that opens secrets of webhook endpoints. */
export const TEST_WEBHOOK_KEY = `hook:${Buffer.alloc(32, 9).toString("base64")}`;

/** Nearly free: a password of the usual cost takes 20 ms of a core. */
export const TEST_PASSWORD_COST: PasswordCost = { memory: 64, passes: 1, parallelism: 1 };

/** What a test replaces. */
export interface TestDashboardOptions {
  /** The methods of the bus that the test needs; all others throw. */
  bus?: Partial<DashboardDeps["bus"]>;
  now?: () => Date;
  options?: Partial<DashboardOptions>;
  /** Whether the database is empty: `own` and `foreign` must not be used. @default {false} */
  isEmpty?: boolean;
}

/**
 * Opens a dashboard over an empty database, with two accounts and their people signed in.
 *
 * ```ts
 * await using dashboard = await openTestDashboard({ bus: { ask: async () => undefined } });
 * const { status } = await dashboard.own.editor.post("/api/templates/email", { name: "Welcome" });
 * ```
 */
export async function openTestDashboard(
  settings: TestDashboardOptions = {},
): Promise<TestDashboard> {
  const { bus = {}, now = () => new Date(), isEmpty = false } = settings;
  await using stack = new AsyncDisposableStack();
  const mongo = stack.use(await openTestMongo({ migrates: true }));
  // Each further connection costs more than a test waits.
  const store = stack.use(await openStore({ url: mongo.url, maxPoolSize: 2 }));
  if (!mongo.isMigrated) await store.ensureIndexes();
  const log: TestDashboard["log"] = [];
  const routes: TestDashboard["routes"] = [];
  const manageRoutes: TestDashboard["manageRoutes"] = [];
  const write = (level: string) => (message: string, fields?: unknown) =>
    void log.push({ level, message, fields });
  const options: DashboardOptions = {
    ...{ publicUrl: ORIGIN, apiUrl: "http://localhost:8080/v1", sessionAges: SESSION_AGES },
    ...{ setupCode: SETUP_CODE, builtFolder: null, limits: LIMITS },
    passwordCost: TEST_PASSWORD_COST,
    ...settings.options,
  };
  const app = buildApp({
    store,
    bus: {
      ask: unexpected,
      publish: unexpected,
      objects: unexpected,
      streamStates,
      queueStates,
      ...bus,
    },
    webhookSealingKey: sealingKeyOf(readMasterKeys(TEST_WEBHOOK_KEY)),
    sealingKey: sealingKeyOf(readMasterKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`)),
    now,
    logger: {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
    },
  }, options);
  stack.defer(() => app.close());
  const faults = checkAnswers(app);
  stack.defer(() => assert.deepEqual(faults, [], "answers are not as MANAGE_ENDPOINTS says"));
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (each === "HEAD") continue;
      if (config?.role !== undefined) {
        const { role, isForTexts = false } = config;
        routes.push({ method: each, url, role, isForTexts });
      }
      if (!url.startsWith("/manage/") || url.endsWith("*") || !config?.scopes) continue;
      manageRoutes.push({ method: each, url, scopes: config.scopes });
    }
  });
  await app.ready();

  const browser = (cookie = "", csrfToken = "", accountId = ""): Browser =>
    openBrowser(app, { cookie, csrfToken, accountId });
  const { sessionAges } = options;
  const signIn = async (
    user: User,
    accountId: string,
    { create }: Pick<Store["sessions"], "create"> = store.sessions,
  ): Promise<Person> => {
    const entry = { userId: user._id, accountId, userAgent: "test" };
    const { token, session } = await beginSession(entry, {
      sessions: { create },
      now,
      sessionAges,
    });
    return { ...browser(token, session.csrfToken, accountId), user, sessionId: session._id };
  };
  const documents = {
    ...{ accounts: [] as Account[], users: [] as User[] },
    ...{ members: [] as Member[], sessions: [] as Session[] },
  };
  const kept = {
    create(session: NewSession) {
      documents.sessions.push(sessionSchema.parse(session));
      return Promise.resolve();
    },
  };
  async function settle(name: string): Promise<TestAccount> {
    const createdAt = new Date();
    const account = accountSchema.parse({ _id: newId("acc"), name, createdAt });
    const accountId = account._id;
    documents.accounts.push(account);
    const person = async (role: Role) => {
      const user = userSchema.parse({
        ...{ _id: newId("usr"), email: `${role}@${name.toLowerCase()}.example` },
        ...{ name: `${name} ${role}`, passwordHash: null, emailProvenAt: now(), createdAt },
      });
      documents.users.push(user);
      const userId = user._id;
      documents.members.push({ _id: `${accountId}/${userId}`, accountId, userId, role, createdAt });
      return [role, await signIn(user, accountId, kept)] as const;
    };
    const people = await Promise.all(ROLES.map(person));
    return { account, accountId, ...Object.fromEntries(people) as Record<Role, Person> };
  }
  const nobody = {} as TestAccount;
  const own = isEmpty ? nobody : await settle("Own");
  const foreign = isEmpty ? nobody : await settle("Foreign");
  // Together: one by one, they cost as much as opening the rest of the dashboard.
  if (!isEmpty) await mongo.insert(documents);
  const opened = stack.move();
  return {
    ...{ app, store, mongoUrl: mongo.url, own, foreign, routes, manageRoutes, log, browser },
    signIn: (user, accountId) => signIn(user, accountId),
    signedOut: browser(),
    program: (token) => openBrowser(app, { token }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What a browser sends by itself; a program with a token sends none of it. */
interface BrowserParts {
  cookie?: string;
  csrfToken?: string;
  accountId?: string;
  token?: string;
}

function openBrowser(
  app: FastifyInstance,
  { cookie = "", csrfToken = "", accountId = "", token }: BrowserParts,
): Browser {
  async function ask(method: string, path: string, { body, headers = {} }: Ask = {}) {
    const all: Record<string, string> = {
      ...(cookie === "" ? {} : { cookie: `${SESSION_COOKIE}=${cookie}` }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(method === "GET" || token !== undefined ? {} : {
        ...{ origin: ORIGIN, "x-csrf-token": csrfToken, [ACCOUNT_HEADER]: accountId },
      }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const answer = await app.inject({
      method: method as "GET",
      url: path,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
      ...(body === undefined ? {} : {
        payload: Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    });
    const { statusCode: status, body: text } = answer;
    const isJson = /json\b/.test(String(answer.headers["content-type"]));
    return {
      ...{ status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined },
      cookies: Object.fromEntries(answer.cookies.map(({ name, value }) => [name, value])),
    };
  }
  const verb = (method: string): Verb => (path, body, headers = {}) =>
    ask(method, path, { body, headers });
  return {
    ...{ cookie, csrfToken, ask },
    get: (path, headers = {}) => ask("GET", path, { headers }),
    post: verb("POST"),
    put: verb("PUT"),
    patch: verb("PATCH"),
    delete: verb("DELETE"),
  };
}

function unexpected(): never {
  throw new Error("Cannot use the bus: the test gave nothing for this");
}

const streamStates: DashboardDeps["bus"]["streamStates"] = () => Promise.resolve(new Map());

const queueStates: DashboardDeps["bus"]["queueStates"] = () => Promise.resolve([]);
