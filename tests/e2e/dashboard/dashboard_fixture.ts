import type { Browser, ConsoleMessage, Page } from "playwright-core";
import { type JoinedSystem, joinSystem, uniqueName } from "../shared_system.ts";
import { ACCOUNT, type AccountOfSystem, openSystem, type SystemOptions } from "../system.ts";
import { openBrowser } from "./browser.ts";
import { type Person, signIn } from "./person.ts";

/** How a page is opened. */
export interface LookOptions {
  /** @default {"light"} */
  scheme?: "light" | "dark";
  /** In CSS pixels. @default {{ width: 1440, height: 900 }} */
  size?: { width: number; height: number };
  /** The signed-in person. @default {"owner"} */
  who?: Who;
}

/** The people of an account, the owner of an empty account, and a signed-out person. */
export type Who = "owner" | "editor" | "viewer" | "newcomer" | "nobody";

/** A page of the dashboard in a browser of its own. */
export interface Look extends AsyncDisposable {
  readonly page: Page;
  /** Faults of the page: uncaught errors, and violations of its policy. */
  readonly faults: string[];
}

/** An account of a running system, and a browser in front of its dashboard. */
export interface DashboardFixture<System extends AccountOfSystem = AccountOfSystem>
  extends AsyncDisposable {
  readonly system: System;
  readonly browser: Browser;
  /** Address of the dashboard: `http://localhost:8081`. */
  readonly url: string;
  /** All signed-in people. */
  readonly people: Readonly<Record<Exclude<Who, "nobody">, Person>>;
  /** Opens a fresh browser window at a path. */
  look(path: string, options?: LookOptions): Promise<Look>;
}

/**
 * Opens a browser in front of the shared system, with an account of its own and its people.
 *
 * @param options.isDemo Takes the account that is opened with one click. One file may change it.
 */
export async function openDashboardFixture(
  options: { isDemo?: boolean } = {},
): Promise<DashboardFixture<JoinedSystem>> {
  await using opened = new AsyncDisposableStack();
  const system = opened.use(await joinSystem(options));
  const fixture = opened.use(await openFixtureOf(system, await invite(system)));
  const parts = opened.move();
  return { ...fixture, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/**
 * Starts a system of its own with an account and its people, and a browser in front of it.
 *
 * @param options.hosts Servers that stand in for others in the browser, as in {@linkcode openBrowser}. It accepts
 * their certificates.
 */
export async function openOwnDashboardFixture(
  { settings = {}, hosts }: Pick<SystemOptions, "settings"> & {
    hosts: Readonly<Record<string, string>>;
  },
): Promise<DashboardFixture> {
  await using opened = new AsyncDisposableStack();
  const system = opened.use(await openSystem({ dashboard: true, settings }));
  const fixture = opened.use(await openFixtureOf(system, await invite(system), hosts));
  const parts = opened.move();
  return { ...fixture, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Starts a system of its own, without any user, and a browser in front of it. */
export async function openUnusedDashboardFixture(
  settings: SystemOptions["settings"] = {},
): Promise<Omit<DashboardFixture, "people">> {
  await using opened = new AsyncDisposableStack();
  const system = opened.use(await openSystem({ dashboard: true, settings }));
  const fixture = opened.use(await openFixtureOf(system, null));
  const parts = opened.move();
  return { ...fixture, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function openFixtureOf<
  System extends AccountOfSystem,
  People extends DashboardFixture["people"] | null,
>(
  system: System,
  people: People,
  hosts: Readonly<Record<string, string>> = {},
) {
  const browser = await openBrowser({ hosts });
  const url = system.stack.dashboardUrl;

  async function look(path: string, options: LookOptions = {}): Promise<Look> {
    const { scheme = "light", size = { width: 1440, height: 900 }, who = "owner" } = options;
    const person = who === "nobody" ? undefined : people?.[who];
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport: size,
      // Moving elements would differ in each picture.
      reducedMotion: "reduce",
      ignoreHTTPSErrors: Object.keys(hosts).length > 0,
    });
    if (person !== undefined) {
      const cookie = { ...person.cookie, domain: "localhost", path: "/", secure: true };
      await context.addCookies([cookie]);
    }
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const faults = watchFaults(page);
    await page.goto(`${url}${path}`);
    return { page, faults, [Symbol.asyncDispose]: () => context.close() };
  }

  return { system, browser, url, people, look, [Symbol.asyncDispose]: () => browser.close() };
}

async function invite(system: AccountOfSystem): Promise<DashboardFixture["people"]> {
  const { accountId } = system;
  const empty = await system.store.accounts.create({ name: uniqueName("Empty shop") });
  return {
    owner: await signIn(system, { accountId, role: "owner", name: "Olive Owner" }),
    editor: await signIn(system, { accountId, role: "editor", name: "Eddie Editor" }),
    viewer: await signIn(system, { accountId, role: "viewer", name: "Vera Viewer" }),
    newcomer: await signIn(system, {
      ...{ accountId: empty._id, role: "owner", name: "Nico Newcomer" },
    }),
  };
}

/** Opens the demonstration account from the first page, with one click. */
export async function signInAsDeveloper(page: Page): Promise<void> {
  await page.getByRole("button", { name: `Open the account ${ACCOUNT}` }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor({ state: "attached" });
}

/** Finds the placeholders of content that a page still loads. */
export const WAITING = '[role="status"][aria-label^="Loading"], .mantine-Loader-root, ' +
  '.mantine-Skeleton-root, [aria-busy="true"]';

/** Waits until a page shows all that it loads. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForFunction((waiting) => document.querySelector(waiting) === null, WAITING);
}

function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`an error: ${error.message}`));
  page.on("console", (message) => {
    if (isPolicyBreach(message)) faults.push(`a breach of the policy: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} for ${response.url()}`);
  });
  return faults;
}

function isPolicyBreach(message: ConsoleMessage): boolean {
  return message.type() === "error" && /Content Security Policy/i.test(message.text());
}
