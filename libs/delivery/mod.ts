/**
 * The delivery protocol as pure code: which process may end an attempt to send a message, and what is written
 * when. It knows no database and no clock. The services run it against the ledger, and `_exploration/` runs
 * the same code through every interleaving of a small world.
 *
 * One rule: every end of attempt `n`, by the final dot or otherwise, first inserts the register of `n`, which
 * is never changed. One insert succeeds; all others stop.
 *
 * ```ts
 * let ending = beginDot({ n: 1, by: nonce });
 * ending = await advance(ending, ledger);
 * if (ending.phase === "dot" && mayDot(times)) {
 *   ending = await advance(replied(ending, { outcome, certainty: "accepted" }), ledger);
 * }
 * ```
 *
 * @module
 */
export * from "./attempt_policy.ts";
export * from "./choose_integration.ts";
export * from "./ending.ts";
export * from "./ledger.ts";
export * from "./next_action.ts";
export * from "./request.ts";
export * from "./retry_at.ts";
export * from "./unknown_outcome.ts";
