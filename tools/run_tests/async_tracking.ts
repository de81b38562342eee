/**
 * node:test follows every promise and timer (async_hooks), to know the test that an unhandled error belongs
 * to, and the suite in which a test is declared. The first costs a fifth of the processor time of tests that
 * await much; the second is needed while a file is loaded, and no later.
 *
 * Import this before anything that imports node:test.
 *
 * @module
 */
import asyncHooks, { type AsyncHook } from "node:async_hooks";

const hooks: AsyncHook[] = [];
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  hooks.push(hook);
  return hook;
};
await import("node:test");
asyncHooks.createHook = createHook;

/** Follows them from now on. */
export function track(): void {
  for (const hook of hooks) hook.enable();
}

/** Follows them no longer. @throws {Error} If node:test does not follow them by a hook any more. */
export function untrack(): void {
  if (hooks.length !== 1) throw new Error(`node:test has ${hooks.length} hooks, and not one`);
  for (const hook of hooks) hook.disable();
}
