import {
  CONNECTIONS,
  MAIL_LIMITS,
  PDF_LIMITS,
  REQUEST_LIMITS,
  setting,
  SUPPRESSION_SETTINGS,
} from "@posthaste/runtime";
import { z } from "zod";
import type { DashboardOptions } from "./dashboard_options.ts";
import type { ReportedLimits } from "./limits.ts";
import { QUOTAS, type Quotas } from "./quotas.ts";
import type { OidcSettings } from "./oidc.ts";

/** Settings of the dashboard, beside those that every service has. */
export const CONFIG = z.object({
  PORT: setting.port().prefault("8081").describe("Port of the dashboard"),
  HOST: setting.text().prefault("0.0.0.0").describe("Address of the dashboard"),
  ...CONNECTIONS,
  PUBLIC_URL: setting.url({ schemes: ["http", "https"] }).prefault("http://localhost:8081")
    .describe(
      "URL at which people open the dashboard; changes are accepted only from pages of this origin",
    ),
  API_URL: setting.url({ schemes: ["http", "https"] }).prefault("http://localhost:8080/v1")
    .describe("Base URL of the HTTP interface, shown in the examples that people copy"),
  TRY_API_URL: setting.url({ schemes: ["http", "https"] }).optional()
    .describe(
      "Base URL at which the dashboard itself reaches the HTTP interface, so that people can try it on the page API; without it they cannot",
    ),
  // Public, but may be read from a file, and must not be exchangeable.
  SEALING_KEY: setting.text({ secret: true })
    .describe(
      "Public key that seals SMTP passwords, as `posthaste keys public` prints it; only the mailer " +
        "can open them",
    ),
  SETUP_CODE: setting.text({ secret: true }).optional()
    .describe(
      "Code required to create the first account; when not set, each process generates and logs one",
    ),
  OIDC_ISSUER: setting.url({ schemes: ["https", "http"] }).optional()
    .describe(
      "Issuer of an OpenID Connect provider for sign-in, which must report addresses as verified; " +
        "its redirect address: PUBLIC_URL with /api/sign-in/oidc/callback",
    ),
  OIDC_CLIENT_ID: setting.text().optional().describe("Client id of this dashboard at the provider"),
  OIDC_CLIENT_SECRET: setting.text({ secret: true }).optional()
    .describe("Client secret of this dashboard at the provider"),
  OIDC_NAME: setting.text().prefault("your organisation")
    .describe('Name of the provider on the button "Sign in with …"'),
  PASSWORD_SIGN_IN: setting.oneOf(["on", "off"]).prefault("on")
    .describe(
      "off: only the person who creates the first account can sign in by password; requires OIDC_ISSUER",
    ),
  SYSTEM_ACCOUNT: setting.text().optional()
    .describe(
      "Name or id of the account whose oldest integration sends Posthaste's own mail, such as invitations; " +
        "without it, only OpenID Connect verifies addresses",
    ),
  SYSTEM_MAIL_LIMIT: setting.integer({ min: 1 }).prefault("1000")
    .describe(
      "Maximum of such messages per hour and process that people request, and the same number of suspension notices; more are not sent",
    ),
  SECURITY_CONTACT: setting.text().optional()
    .refine((uri) => uri === undefined || /^(?:https:\/\/|mailto:)[^\s]+$/.test(uri), {
      error: 'must begin with "https://" or "mailto:"',
    })
    .describe(
      "Contact for vulnerability reports, published in /.well-known/security.txt (RFC 9116)",
    ),
  TRUSTED_PROXIES: setting.list().prefault("")
    .describe("Addresses and networks of the proxies in front, whose X-Forwarded-For is trusted"),
  MAX_CONNECTIONS: setting.integer({ min: 10 }).prefault("2000")
    .describe("Maximum of open connections; more are closed immediately"),
  MAX_CLIENT_CONNECTIONS: setting.integer({ min: 1 }).prefault("500")
    .describe(
      "Maximum of open connections from one IPv4 address, or from the first 64 bits of an IPv6 address",
    ),
  REQUEST_TIMEOUT: setting.duration({ min: 1000 }).prefault("30s")
    .describe("Maximum time for a whole request to arrive"),
  BODY_MEMORY: setting.bytes({ min: 1000 }).prefault("64MB")
    .describe("Maximum memory for the bodies of requests in progress; above it, requests get 503"),
  ACCOUNT_BODY_MEMORY: setting.bytes({ min: 1000 }).prefault("24MB")
    .describe(
      "Maximum of that memory for one account, or for one network that is not signed in; above it, requests get 429",
    ),
  SESSION_AGE: setting.duration({ min: 60_000 }).prefault("14d")
    .describe("Time without a request after which a browser is signed out"),
  WEBHOOK_SEALING_KEY: setting.text({ secret: true }).optional()
    .describe(
      "Public key that secrets of webhook endpoints are sealed to; without it none can be made",
    ),
  SECOND_FACTOR_KEY: setting.text({ secret: true }).optional()
    .refine((key) => key === undefined || Buffer.from(key, "base64").length === 32, {
      error: "must be 32 random bytes in base64",
    })
    .describe(
      "32 random bytes in base64, for this service only. It seals the secrets of authenticator " +
        "apps; without it, people can use only passkeys",
    ),
  SESSION_MAX_AGE: setting.duration({ min: 60_000 }).prefault("30d")
    .describe("Time after sign-in at which a browser is signed out in any case"),
  MAX_MEMBERS: setting.integer({ min: 1 }).prefault(String(QUOTAS.members))
    .describe(
      "Maximum of members of an account, including invitations; above it, requests get 409",
    ),
  MAX_ACCOUNTS: setting.integer({ min: 1 }).prefault(String(QUOTAS.accounts))
    .describe("Maximum of accounts that one person owns; above it, requests get 409"),
  MAX_TEMPLATES: setting.integer({ min: 1 }).prefault(String(QUOTAS.templates))
    .describe("Maximum of templates of each kind in an account; above it, requests get 409"),
  MAX_TOKENS: setting.integer({ min: 1 }).prefault(String(QUOTAS.tokens))
    .describe("Maximum of active tokens of an account; above it, requests get 409"),
  MAX_INTEGRATIONS: setting.integer({ min: 1 }).prefault(String(QUOTAS.integrations))
    .describe("Maximum of SMTP integrations of an account; above it, requests get 409"),
  ASSET_BYTES: setting.bytes({ min: 1000 }).prefault("100MB")
    .describe(
      "Maximum size of the files that an account keeps, together; above it, requests get 409",
    ),
  ...REQUEST_LIMITS,
  ...PDF_LIMITS,
  ...MAIL_LIMITS,
  ...SUPPRESSION_SETTINGS,
  DEMO_ACCOUNT: setting.text().optional()
    .describe(
      "For development only: name of the account that anyone can open with one click; " +
        "requires HOST and PUBLIC_URL to be local to this machine",
    ),
}).superRefine(({ DEMO_ACCOUNT, HOST, PUBLIC_URL, ...rest }, { addIssue }) => {
  if (rest.PASSWORD_SIGN_IN === "off" && rest.OIDC_ISSUER === undefined) {
    const message = "must be on when OIDC_ISSUER is not set: otherwise nobody can sign in";
    addIssue({ code: "custom", path: ["PASSWORD_SIGN_IN"], message });
  }
  if (DEMO_ACCOUNT === undefined) return;
  // Any caller of the port is signed in: other programs are not bound by the browser's cross-origin
  // rules.
  for (const [setting, host] of [["HOST", HOST], ["PUBLIC_URL", new URL(PUBLIC_URL).hostname]]) {
    if (isThisMachine(`${host}`)) continue;
    const message = `${setting} must be local to this machine, such as localhost`;
    addIssue({ code: "custom", path: ["DEMO_ACCOUNT"], message });
  }
});

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}

/** Settings of the dashboard, as read. */
export type Config = z.infer<typeof CONFIG>;

/** Returns the limits of the other services, as far as this one has the same settings. */
export function reportedLimitsOf(config: Config): ReportedLimits {
  return {
    bodyLimit: config.BODY_LIMIT,
    maxRecipients: config.MAX_RECIPIENTS,
    maxAttachments: config.MAX_ATTACHMENTS,
    rateLimit: config.RATE_LIMIT,
    rateWindowMs: config.RATE_WINDOW,
    pdfLimit: config.PDF_LIMIT,
    mailLimit: config.MAIL_LIMIT,
  };
}

/** Returns the limits of the server from the settings. */
export function edgeLimitsOf(config: Config): Pick<DashboardOptions, "edge" | "bodies"> {
  return {
    edge: {
      requestTimeoutMs: config.REQUEST_TIMEOUT,
      connections: {
        max: config.MAX_CONNECTIONS,
        maxPerClient: config.MAX_CLIENT_CONNECTIONS,
        proxies: config.TRUSTED_PROXIES,
      },
    },
    bodies: { max: config.BODY_MEMORY, maxPerOwner: config.ACCOUNT_BODY_MEMORY },
  };
}

/**
 * Returns the OpenID Connect provider from the settings, if there is one.
 *
 * @throws {Error} If one of them is set and another is missing.
 */
export function oidcOf(config: Config): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } =
    config;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    return undefined;
  }
  if (issuer !== undefined && clientId !== undefined && clientSecret !== undefined) {
    return { issuer, clientId, clientSecret, name: config.OIDC_NAME };
  }
  throw new Error(
    "Cannot offer OpenID Connect: set all of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none",
  );
}

/** Returns the key that seals the secrets of authenticator apps, if there is one. */
export function secondFactorKeyOf({ SECOND_FACTOR_KEY: key }: Config): Buffer | undefined {
  return key === undefined ? undefined : Buffer.from(key, "base64");
}

/** Returns the quotas from the settings. */
export function quotasOf(config: Config): Quotas {
  return {
    members: config.MAX_MEMBERS,
    accounts: config.MAX_ACCOUNTS,
    templates: config.MAX_TEMPLATES,
    tokens: config.MAX_TOKENS,
    integrations: config.MAX_INTEGRATIONS,
    assetBytes: config.ASSET_BYTES,
    suppressions: config.MAX_SUPPRESSIONS,
  };
}
