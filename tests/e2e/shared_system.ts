import { randomBytes } from "node:crypto";
import process from "node:process";
import type { Stack } from "@posthaste/dev";
import { freePort } from "@posthaste/embedded";
import {
  ACCOUNT,
  type AccountOfSystem,
  openAccount,
  openSystem,
  type RunningStack,
} from "./system.ts";

/** Set by the test runner for the files that share its system; holds a {@linkcode Description}. */
const VARIABLE = "POSTHASTE_TEST_SYSTEM";

/** Account that sends Posthaste's own mail, to the inbox. */
const SYSTEM_ACCOUNT = "Posthaste";

/** Its addresses, and the keys that seal secrets. */
type Addresses = Pick<
  Stack,
  "mongodbUrl" | "apiUrl" | "dashboardUrl" | "masterKey" | "webhookKey"
>;

/** How a running system is described to other processes, as JSON. */
interface Description extends Addresses {
  services: [name: string, service: { pid: number; healthUrl: string }][];
  inbox: { smtpPort: number; webPort: number };
  /** The account that the dashboard opens with one click. */
  demoAccountId: string;
}

/** The system that test files share. Disposing stops it, and fails if a part had died by itself. */
export interface SharedSystem extends AsyncDisposable {
  /** Variables through which the processes of the test files find it. */
  readonly env: Readonly<Record<string, string>>;
}

/** An account of the shared system. Disposing leaves the system to others. */
export interface JoinedSystem extends AccountOfSystem {
  readonly stack: RunningStack & Addresses;
  /** The development inbox: that of the account that is opened with one click, and of system mail. */
  readonly inbox: Description["inbox"];
}

/**
 * Starts the whole system, with the dashboard and an inbox, for test files that change nothing but
 * an account of their own.
 */
export async function openSharedSystem(): Promise<SharedSystem> {
  const inbox = { smtpPort: await freePort(), webPort: await freePort() };
  const system = await openSystem({
    dashboard: true,
    inbox,
    settings: {
      dashboard: { DEMO_ACCOUNT: ACCOUNT, SYSTEM_ACCOUNT },
      tracker: { RECONCILE_GRACE: "5s" },
    },
  });
  const { store, stack } = system;
  const { mongodbUrl, apiUrl, dashboardUrl, masterKey, webhookKey } = stack;
  const { _id: accountId } = await store.accounts.create({ name: SYSTEM_ACCOUNT });
  await store.integrations.create({
    ...{
      accountId,
      name: "inbox",
      host: "127.0.0.1",
      port: inbox.smtpPort,
      tls: "none",
      auth: null,
    },
    senders: ["posthaste@system.example"],
  });
  const description: Description = {
    mongodbUrl,
    apiUrl,
    dashboardUrl,
    masterKey,
    webhookKey,
    services: [...stack.services].map(([name, { pid, healthUrl }]) => [name, { pid, healthUrl }]),
    inbox,
    demoAccountId: system.accountId,
  };
  return {
    env: { [VARIABLE]: JSON.stringify(description) },
    [Symbol.asyncDispose]: () => system[Symbol.asyncDispose](),
  };
}

/**
 * Opens an account of the shared system; without a test runner, of one that is started for this file.
 *
 * @param options.isDemo Takes the account that is opened with one click. One file may change it.
 */
export async function joinSystem(options: { isDemo?: boolean } = {}): Promise<JoinedSystem> {
  await using opened = new AsyncDisposableStack();
  const json = process.env[VARIABLE] ?? opened.use(await openSharedSystem()).env[VARIABLE];
  const description: Description = JSON.parse(json ?? "");
  const { inbox, demoAccountId, services, ...addresses } = description;
  const stack = { ...addresses, services: new Map(services) };
  const account = opened.use(
    await openAccount(stack, options.isDemo ? { id: demoAccountId } : { name: uniqueName("Shop") }),
  );
  const parts = opened.move();
  return {
    ...account,
    stack,
    inbox,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Returns a name that no other account of the system has. */
export function uniqueName(name: string): string {
  return `${name} ${randomBytes(4).toString("hex")}`;
}
