/**
 * Client of the Posthaste HTTP interface, for Node, Deno and Bun.
 *
 * ```ts
 * const posthaste = createClient({ url: "https://mail.example.com", token: "ph_…" });
 * const { id } = await posthaste.send("welcome", 1, {
 *   from: { email: "shop@example.com" },
 *   to: [{ email: "jane@example.net", variables: { name: "Jane" } }],
 * });
 * ```
 *
 * @module
 */
export { type Call, type Operation, type RequestOptions } from "./call.ts";
export { type Client, createClient, type EventsQuery } from "./client.ts";
export { type Issue, PosthasteError, type PosthasteErrorOptions } from "./error.ts";
export type { Feed, FeedPage } from "./feed.ts";
export type { Page, Pages } from "./pages.ts";
export type { ConnectionOptions } from "./request.ts";
// With a star: `declare module "@posthaste/client"` extends interfaces behind a star only.
export type * from "./typed_send.ts";
export type * from "./types.ts";
