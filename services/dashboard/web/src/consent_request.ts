import { OAUTH_ENDPOINTS, type OauthProvider } from "@posthaste/contracts";

/** Path of the page to which providers return. It names no account: it is registered at the provider once. */
export const CONSENT_RETURN = "/oauth/callback";

/** A person who comes back later starts again. */
const MAX_AGE_MS = 3_600_000;

const MAX_WORDS = 300;

const KEY = "posthaste.consent";

/** A consent that was asked for in this tab. */
export interface PendingConsent {
  state: string;
  /** Of PKCE (RFC 7636). */
  codeVerifier: string;
  redirectUri: string;
  provider: OauthProvider;
  accountId: string;
  userId: string;
  integrationId: number;
  startedAtMs: number;
}

/** What a provider's redirect brought. Only with the state of this tab, its words are shown. */
export type ReturnedConsent =
  | { kind: "granted"; pending: PendingConsent; code: string }
  | { kind: "refused"; pending: PendingConsent; words: string }
  | { kind: "unknown" };

type Slot = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Whose consent is asked for, and at which client. */
export interface ConsentClient {
  provider: OauthProvider;
  tenant: string | null;
  clientId: string;
  /** Address of the mailbox: the provider suggests it. */
  user: string | null;
}

/** Returns the provider's page on which a person consents (RFC 6749, section 4.1.1; PKCE by S256). */
export function authorizeUrlOf(
  { provider, tenant, clientId, user }: ConsentClient,
  { redirectUri, state, challenge }: { redirectUri: string; state: string; challenge: string },
): string {
  const { authorize, scope, consent } = OAUTH_ENDPOINTS[provider];
  const url = new URL(authorize.replace("{tenant}", encodeURIComponent(tenant ?? "common")));
  url.search = new URLSearchParams({
    ...consent,
    ...{ response_type: "code", response_mode: "query", client_id: clientId, scope },
    ...{ redirect_uri: redirectUri, state },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
    ...(user === null ? {} : { login_hint: user }),
  }).toString();
  return url.href;
}

/**
 * Keeps a new consent in this tab, in place of an earlier one.
 *
 * @returns The provider's page.
 */
export async function startConsent(
  client: ConsentClient,
  { origin, slot, nowMs, ...ids }:
    & Pick<PendingConsent, "accountId" | "userId" | "integrationId">
    & { origin: string; slot: Slot; nowMs: number },
): Promise<string> {
  const [state, codeVerifier] = [randomText(), randomText()];
  const bytes = new TextEncoder().encode(codeVerifier);
  const challenge = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  const redirectUri = `${origin}${CONSENT_RETURN}`;
  const { provider } = client;
  const kept = { ...ids, state, codeVerifier, redirectUri, provider, startedAtMs: nowMs };
  slot.setItem(KEY, JSON.stringify(kept satisfies PendingConsent));
  return authorizeUrlOf(client, { redirectUri, state, challenge });
}

/** Reads what a redirect brought, once: whatever comes, no later redirect belongs to the same consent. */
export function takeReturned(
  search: string,
  { slot, nowMs }: { slot: Slot; nowMs: number },
): ReturnedConsent {
  const pending = pendingOf(slot.getItem(KEY));
  slot.removeItem(KEY);
  const given = new URLSearchParams(search);
  const [state, code, error] = ["state", "code", "error"].map((name) => given.get(name));
  if (pending === null || state !== pending.state) return { kind: "unknown" };
  if (nowMs - pending.startedAtMs > MAX_AGE_MS) return { kind: "unknown" };
  if (code && !error) return { kind: "granted", pending, code };
  const words = wordsOf(error ?? "", given.get("error_description") ?? "");
  return { kind: "refused", pending, words };
}

const BY_ERROR: Readonly<Record<string, string>> = {
  access_denied: "The consent was refused",
  admin_policy_enforced: "The administrator of the Workspace does not allow this client",
  consent_required: "An administrator must consent first",
  interaction_required: "The provider asks for another step of the sign-in",
  invalid_client: "The provider does not know the client id",
  invalid_request: "The provider does not accept the request",
  invalid_scope: "The client may not ask for the permission to send mail",
  login_required: "The provider asks for another sign-in",
  server_error: "The provider has a temporary fault. Try again later",
  temporarily_unavailable: "The provider is temporarily unavailable. Try again later",
  unauthorized_client: "The client may not ask people for consent",
};

function wordsOf(error: string, description: string): string {
  const known = Object.hasOwn(BY_ERROR, error) ? BY_ERROR[error] : "The provider gave no code";
  const details = [error, description].join(": ").replace(/\p{C}+/gu, " ").trim();
  const said = details.length > MAX_WORDS ? `${details.slice(0, MAX_WORDS)}…` : details;
  return said === ":" ? `${known}` : `${known} (${said.replace(/:$/, "")})`;
}

function pendingOf(text: string | null): PendingConsent | null {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}
