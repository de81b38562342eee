import type { TokenLimits, TokenScope } from "@posthaste/contracts";

/** Whether a token may be used. */
export type TokenState = "active" | "expired" | "revoked";

/** One of `GET /api/tokens`. */
export interface TokenView {
  id: string;
  name: string;
  /** Its first characters. */
  prefix: string;
  scopes: TokenScope[];
  limits: TokenLimits;
  createdAt: string;
  /** Name of the person who created it; null for a token from the command line. */
  createdBy: string | null;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  state: TokenState;
}

/** `POST /api/tokens`. */
export interface NewTokenInput {
  name: string;
  scopes: TokenScope[];
  /** ISO 8601; null for never. */
  expiresAt: string | null;
  limits: TokenLimits;
}

/** `POST /api/tokens/{id}/roll`: creates an equal token; the old one expires after this time. */
export interface RollTokenInput {
  overlapHours: number;
}

/** Answer to both: the token's text is returned only once. */
export interface NewTokenView {
  token: TokenView;
  text: string;
  /** A sample request with it, for a shell; null if there is nothing that it could request. */
  curl: string | null;
}
