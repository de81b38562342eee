import type { ENDPOINTS, JsonObject } from "@posthaste/contracts";

/** `GET /api/interface`: the interface for programs, and whether it can be tried here. */
export interface ApiPageView {
  /** Its OpenAPI document. */
  document: JsonObject;
  /** Base URL for programs. */
  apiUrl: string;
  canTry: boolean;
}

/** `POST /api/interface/try`: one request of the interface. */
export interface ApiTrial {
  method: (typeof ENDPOINTS)[number]["method"];
  /** With its query: `/v1/sends?limit=1`. */
  path: string;
  token: string;
  /** JSON. */
  body?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** The answer to a tried request. */
export interface ApiTrialAnswer {
  status: number;
  durationMs: number;
  contentType: string;
  headers: Record<string, string>;
  /** Null if it is not text. */
  text: string | null;
  /** In base64, if it is not text. */
  base64: string | null;
}
