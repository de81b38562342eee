/**
 * Decides which customers' hosts may be reached, and at which address.
 *
 * @module
 */
export * from "./egress_error.ts";
export * from "./guarded_resolver.ts";
export * from "./networks.ts";
export * from "./public_address.ts";
export * from "./strangers_ciphers.ts";
