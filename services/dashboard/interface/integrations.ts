import type {
  Integration,
  IntegrationEvent,
  IntegrationState,
  OauthLoginView,
  OauthProvider,
  ProbeReply,
} from "@posthaste/contracts";

export type { IntegrationState, OauthLoginView };

/** State of an integration, and its reason. */
export interface IntegrationHealthView {
  state: IntegrationState;
  /** Why it is not ready, as a sentence. */
  reason: string | null;
  /** Since when it is paused, suspended or failing. */
  since: string | null;
  /** Until when no connection to its server is tried. */
  openUntil: string | null;
  /** Messages that wait for it; {@linkcode MAX_WAITING} means this many or more. */
  waiting: number;
  lastSent: { messageId: string; at: string } | null;
  /** The last attempt that its server did not accept. */
  lastFailed: { messageId: string; at: string; reason: string } | null;
  /** Attempts of the last 24 hours that have ended, and how many of them succeeded. */
  attempts: number;
  sent: number;
}

/** A line of `GET /api/integrations`. */
export interface IntegrationSummary extends IntegrationHealthView {
  id: number;
  name: string;
  host: string;
  port: number;
  tls: Integration["tls"];
  user: string | null;
  senders: string[];
  allowInvalidCertificate: boolean;
  /** Domain that mail is signed for; null if Posthaste does not sign it. */
  signsFor: string | null;
}

/** Settings of an integration, as sent and shown; never the password. */
export interface IntegrationSettingsView {
  name: string;
  host: string;
  port: number;
  tls: Integration["tls"];
  /** PEM. */
  ca: string | null;
  allowInvalidCertificate: boolean;
  /** Null for a server without authentication. */
  user: string | null;
  /** Null for the method that the server offers. */
  authMethod: "PLAIN" | "LOGIN" | null;
  /** Login by access tokens; null for a login by password. */
  oauth: OauthLoginView | null;
  senders: string[];
  maxConnections: number;
  maxPerMinute: number | null;
  retryForMs: number;
  whenUnknown: Integration["whenUnknown"];
  /** Ids of the integrations that send its mail while it cannot, in their order; at most three. */
  fallbacks: number[];
}

/** A login by access tokens, as sent. Secrets that are missing stay as they are stored. */
export type OauthInput =
  | {
    kind: "oauthClientCredentials";
    /** Its id, or one of its domains. */
    tenant: string;
    clientId: string;
    clientSecret?: string | undefined;
  }
  | {
    kind: "oauthRefreshToken";
    provider: OauthProvider;
    /** Of Microsoft; null for Google. */
    tenant: string | null;
    clientId: string;
    /** Null for a client without a secret. */
    clientSecret?: string | null | undefined;
    /** Only if it was issued elsewhere: a consent brings one. */
    refreshToken?: string | undefined;
  }
  | {
    kind: "googleServiceAccount";
    /** The JSON file of a key, as Google creates it. */
    keyFile?: string | undefined;
  };

/** Body of `POST /api/integrations`; of `PUT /api/integrations/:id` with the revision. */
export interface IntegrationInput extends Omit<IntegrationSettingsView, "fallbacks" | "oauth"> {
  /** Null for a login by password. If missing, the stored one stays. */
  oauth?: OauthInput | null | undefined;
  /** If missing, the stored ones stay. */
  fallbacks?: number[] | undefined;
  /** If missing, the stored one stays. */
  password?: string | undefined;
}

/** A DNS record to publish. */
export interface DnsRecord {
  type: "TXT";
  name: string;
  value: string;
  /** The value in quoted strings of at most 255 characters, for zone files. */
  quoted: string;
}

/** How an integration signs its mail. */
export interface DkimView {
  domain: string;
  selector: string;
  enabled: boolean;
  record: DnsRecord;
}

/** Answer to `POST /api/integrations/:id/dkim/check`. */
export interface DnsCheck {
  outcome: "published" | "missing" | "different" | "unavailable";
  /** A sentence for people. */
  detail: string;
  /** The records found. */
  found: string[];
}

/** `GET /api/integrations/:id`. */
export interface IntegrationView extends IntegrationHealthView {
  id: number;
  revision: number;
  settings: IntegrationSettingsView;
  hasPassword: boolean;
  dkim: DkimView | null;
  /** What happened within 30 days, newest first. */
  history: { at: string; type: IntegrationEvent["type"]; reason: string }[];
  createdAt: string;
  updatedAt: string;
}

/** Body of `POST /api/integrations/probe`. */
export interface ProbeInput {
  /** The integration whose password is used if none is given. */
  id?: number | undefined;
  settings: Pick<
    IntegrationInput,
    | "host"
    | "port"
    | "tls"
    | "ca"
    | "allowInvalidCertificate"
    | "user"
    | "authMethod"
    | "password"
    | "oauth"
  >;
  /** The sender address to test. */
  sender?: string | undefined;
}

/** Answer to `POST /api/integrations/probe`. */
export type ProbeView = ProbeReply;

/** Body of `POST /api/integrations/:id/consent`: what the provider's redirect brought. */
export interface ConsentInput {
  code: string;
  /** Of PKCE, by S256. */
  codeVerifier: string;
  /** As it was sent to the provider. */
  redirectUri: string;
}

/** A well-known provider: its documented SMTP settings. */
export interface ProviderPreset {
  id: string;
  name: string;
  /** For providers with several servers. */
  servers: { label: string; host: string }[];
  port: number;
  tls: Integration["tls"];
  /** What to enter as user, as a sentence. */
  user: string;
  /** For providers whose user is always the same. */
  fixedUser?: string | undefined;
  /** Common mistakes. */
  hint: string;
  documentation: string;
}
