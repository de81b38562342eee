/**
 * Fetches templates' resources from the web: only images, from public addresses, within limits.
 *
 * ```ts
 * const fetchImage = openImageFetcher({ allowed: readNetworks([]) });
 * const { type, bytes } = await fetchImage("https://example.com/logo.png", { owner: "acc_1" });
 * ```
 *
 * @module
 */
export * from "./fetch_error.ts";
export * from "./image_fetcher.ts";
export * from "./image_format.ts";
