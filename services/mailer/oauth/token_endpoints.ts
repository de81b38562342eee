import { OAUTH_ENDPOINTS, OAUTH_PROVIDERS, type OauthProvider } from "@posthaste/contracts";
import type { TokenEndpoints } from "./token_request.ts";

/**
 * Returns the token endpoints: the providers' own, or the operator's in their place.
 *
 * @param texts Such as `microsoft=https://login.microsoftonline.us/{tenant}/oauth2/v2.0/token`.
 */
export function readTokenEndpoints(texts: readonly string[]): TokenEndpoints {
  const own = Object.fromEntries(
    OAUTH_PROVIDERS.map((provider) => [provider, OAUTH_ENDPOINTS[provider].token]),
  ) as Record<OauthProvider, string>;
  return { ...own, ...Object.fromEntries(texts.map(read)) };
}

/** Returns whether {@linkcode readTokenEndpoints} reads a text. */
export function isTokenEndpoint(text: string): boolean {
  const [provider, url] = read(text);
  if (!OAUTH_PROVIDERS.some((known) => known === provider)) return false;
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" && parsed.username === "" && parsed.password === "";
}

function read(text: string): [provider: string, url: string] {
  const at = text.indexOf("=");
  return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
}
