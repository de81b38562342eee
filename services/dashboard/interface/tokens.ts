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
  /** Name of who made it; null for what the command line made. */
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

/** `POST /api/tokens/{id}/roll`: a token like it is made, and it expires after this time. */
export interface RollTokenInput {
  overlapHours: number;
}

/** Answer to both: the text is told this once. */
export interface NewTokenView {
  token: TokenView;
  text: string;
  /** A request that can be tried with it, for a shell; null if there is nothing yet that it could ask for. */
  curl: string | null;
}
