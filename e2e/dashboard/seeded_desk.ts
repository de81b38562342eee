import { type Desk, openDesk } from "./desk.ts";
import { plantSeed, type Seed } from "./seed.ts";

/** A desk whose account is full of everything. */
export interface SeededDesk extends AsyncDisposable {
  readonly desk: Desk;
  readonly seed: Seed;
}

/** Starts the whole system with its dashboard, and a browser, and fills the account. */
export async function openSeededDesk(): Promise<SeededDesk> {
  await using opened = new AsyncDisposableStack();
  const desk = opened.use(await openDesk());
  const seed = opened.use(await plantSeed(desk));
  const parts = opened.move();
  return { desk, seed, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
