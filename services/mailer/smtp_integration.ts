import { hash, X509Certificate } from "node:crypto";
import { BlockList, isIP } from "node:net";
import type { OauthLogin, OauthProvider } from "@posthaste/contracts";
import type { SmtpServer } from "@posthaste/smtp";
import type { TokenSource } from "./oauth/token_source.ts";
import type { DkimSigner } from "./sign_headers.ts";

/** A login by password. */
export interface PasswordAuth {
  readonly user: string;
  readonly password: string;
  /** The server's first of PLAIN and LOGIN by default. */
  readonly method?: "PLAIN" | "LOGIN";
}

/** A login by access tokens. */
export interface TokenAuth {
  readonly user: string;
  readonly tokens: TokenSource;
  /** For the words about a refusal. */
  readonly kind: OauthLogin["kind"];
  /** The provider that issues the tokens, for the same. */
  readonly provider: OauthProvider;
}

/** A customer's SMTP server, its secret already opened. */
export interface SmtpIntegration {
  /** Identifies the integration. It need not contain settings that change. */
  readonly key: string;
  /** Its account. @default {key} */
  readonly owner?: string;
  readonly host: string;
  readonly port: number;
  /** `starttls` insists on the upgrade; `none` never upgrades. */
  readonly tls: "none" | "starttls" | "implicit";
  readonly auth: PasswordAuth | TokenAuth | null;
  /** Maximum open connections. @default {5} */
  readonly maxConnections?: number;
  readonly allowInvalidCertificate?: boolean;
  /** The certificate authorities to trust, as PEM, instead of the default ones. */
  readonly ca?: string;
  /** Signs the mail, if the integration has a DKIM key. */
  readonly dkim?: DkimSigner;
}

/** Returns whether a login is by an access token. */
export function isByToken(auth: SmtpIntegration["auth"]): auth is TokenAuth {
  return auth !== null && "tokens" in auth;
}

const fingerprints = new WeakMap<SmtpIntegration, string>();

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Digest of everything about an integration but its size: integrations with the same digest can share
 * connections.
 */
export function fingerprintOf(integration: SmtpIntegration): string {
  const known = fingerprints.get(integration);
  if (known !== undefined) return known;
  const { key, host, port, tls, auth, allowInvalidCertificate, ca } = integration;
  const settings = [key, host, port, tls, ...settingsOf(auth), allowInvalidCertificate, ca];
  const text = JSON.stringify(settings);
  const fingerprint = hash("sha256", text, "base64url");
  fingerprints.set(integration, fingerprint);
  return fingerprint;
}

function settingsOf(auth: SmtpIntegration["auth"]): unknown[] {
  if (auth === null) return [];
  return isByToken(auth)
    ? [auth.user, "token", auth.tokens.id]
    : [auth.user, auth.password, auth.method];
}

/**
 * Returns what a connection needs to know of an integration.
 *
 * @param address The IP address to dial.
 * @param token The access token, if the login is by one.
 */
export function serverOf(
  integration: SmtpIntegration,
  address: string,
  token: string | undefined,
): SmtpServer {
  const { host, port, tls, auth, ca, allowInvalidCertificate } = integration;
  const login = isByToken(auth) ? { user: auth.user, password: token ?? "", isToken: true } : auth;
  return { host, address, port, tls, login, ca, allowInvalidCertificate };
}

const badCas = new WeakMap<SmtpIntegration, boolean>();

/** Returns whether the given certificate authority is invalid: no connection could be opened with it. */
export function hasBadCa(integration: SmtpIntegration): boolean {
  const { ca } = integration;
  if (ca === undefined) return false;
  const known = badCas.get(integration);
  if (known !== undefined) return known;
  let isBad = false;
  try {
    new X509Certificate(ca);
  } catch {
    isBad = true;
  }
  badCas.set(integration, isBad);
  return isBad;
}

/** Returns whether the login would cross a network unencrypted. */
export function leaksLogin(integration: SmtpIntegration): boolean {
  if (integration.tls !== "none" || integration.auth === null) return false;
  const { host } = integration;
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() !== "localhost";
  return !loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}
