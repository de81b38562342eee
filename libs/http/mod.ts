/**
 * The edge of a server that strangers can reach: limits before anything is parsed, deadlines, budgets of
 * connections and memory, one shape of errors, one way to close.
 *
 * ```ts
 * const app = fastify(edgeSettings(limits, ERRORS));
 * armEdge(app, { limits, errors: ERRORS, logger });
 * readOnlyJson(app, { take: (request, bytes) => budgets.take(request, bytes) });
 * ```
 *
 * @module
 */
export * from "./bearer_token.ts";
export * from "./body_issues.ts";
export * from "./data_headers.ts";
export { armEdge, type EdgeLimits, type EdgeOptions, edgeSettings } from "./edge.ts";
export * from "./edge_errors.ts";
export { type ErrorHandling, handleErrors } from "./handle_errors.ts";
export type { ConnectionLimits } from "./limit_connections.ts";
export { limitRate, type RateLimitOptions } from "./limit_rate.ts";
export { MAX_UNANSWERED } from "./connection_error.ts";
export { MAX_HEADERS } from "./header_fault.ts";
export {
  BYTES_PER_FIELD,
  BYTES_PER_VALUE,
  MAX_DEPTH,
  MAX_FIELDS,
  MAX_NAMES,
} from "./measure_json.ts";
export { networkOf } from "./network_of.ts";
export { type BodyReading, needingNoBody, readOnlyJson } from "./read_json.ts";
export * from "./http_error.ts";
export { refuseOtherMethods } from "./refuse_methods.ts";
export { type Revalidation, sendUnlessKnown } from "./revalidate.ts";
