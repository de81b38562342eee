/**
 * Fetches what templates name in the web: images, from public addresses only, within limits.
 *
 * ```ts
 * const fetchImage = openImageFetcher({ allowed: readNetworks([]) });
 * const { type, bytes } = await fetchImage("https://example.com/logo.png");
 * ```
 *
 * @module
 */
export * from "./fetch_error.ts";
export * from "./image_fetcher.ts";
export * from "./image_format.ts";
