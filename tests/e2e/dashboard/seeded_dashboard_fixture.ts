import { type DashboardFixture, openDashboardFixture } from "./dashboard_fixture.ts";
import { plantSeed, type Seed } from "./seed.ts";

/** A fixture whose account has data of every kind. */
export interface SeededDashboardFixture extends AsyncDisposable {
  readonly fixture: DashboardFixture;
  readonly seed: Seed;
}

/** Starts the whole system with its dashboard, and a browser, and fills the account. */
export async function openSeededDashboardFixture(): Promise<SeededDashboardFixture> {
  await using opened = new AsyncDisposableStack();
  const fixture = opened.use(await openDashboardFixture());
  const seed = opened.use(await plantSeed(fixture));
  const parts = opened.move();
  return { fixture, seed, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
