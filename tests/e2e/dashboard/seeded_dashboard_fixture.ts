import { type DashboardFixture, openDashboardFixture } from "./dashboard_fixture.ts";
import { plantSeed, type Seed } from "./seed.ts";
import { openTabs, type Tabs } from "./tabs.ts";

/** A fixture whose account has data of every kind. */
export interface SeededDashboardFixture extends AsyncDisposable {
  readonly fixture: DashboardFixture;
  readonly seed: Seed;
  /** None is open at first. */
  readonly tabs: Tabs;
}

/** Starts the whole system with its dashboard, and a browser, and fills the account. */
export async function openSeededDashboardFixture(): Promise<SeededDashboardFixture> {
  await using opened = new AsyncDisposableStack();
  const fixture = opened.use(await openDashboardFixture());
  const seed = opened.use(await plantSeed(fixture));
  const tabs = opened.use(openTabs(fixture));
  const parts = opened.move();
  return { fixture, seed, tabs, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
