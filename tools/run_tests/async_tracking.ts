/**
 * node:test tracks every promise and timer (async_hooks), to find the suite in which a test is declared, and
 * the test that an unhandled error belongs to. The first is needed only while a file is loaded. The second
 * costs a fifth of the processor time of tests that await much.
 *
 * No file of the worker may import node:test statically: Node loads its own modules before any code runs.
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

/** Makes node:test track promises and timers. */
export function startTracking(): void {
  for (const hook of hooks) hook.enable();
}

/** @throws {Error} If node:test no longer tracks by one hook. */
export function stopTracking(): void {
  if (hooks.length !== 1) {
    throw new Error(
      `Cannot stop the tracking of node:test: expected 1 hook, found ${hooks.length}`,
    );
  }
  for (const hook of hooks) hook.disable();
}
