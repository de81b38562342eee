import { type Issue, PosthasteError } from "./error.ts";

/** What is read of an answer. */
export interface ReadOptions {
  /** Whether a good answer is a file and not JSON. */
  bytes: boolean;
}

/**
 * Reads an answer to its end.
 *
 * @throws {PosthasteError} The service refused the request, or something else answered.
 */
export async function readAnswer(response: Response, { bytes }: ReadOptions): Promise<unknown> {
  if (response.ok && bytes) return new Uint8Array(await response.arrayBuffer());
  const text = await response.text();
  if (response.ok && text === "") return undefined;
  const value = parse(text);
  if (response.ok && value !== undefined) return value;
  throw refusal(response, value);
}

function refusal({ status, headers }: Response, value: unknown): PosthasteError {
  const requestId = headers.get("x-request-id") ?? undefined;
  const body = value as { error?: unknown; code?: unknown; issues?: unknown } | null | undefined;
  if (status < 400 || typeof body?.error !== "string") {
    const message = `Cannot read the answer: it is not that of a Posthaste service (${status})`;
    return new PosthasteError(message, { status, code: "unreadable_answer", requestId });
  }
  return new PosthasteError(body.error, {
    status,
    // The 401 has its sentence alone.
    code: typeof body.code === "string" ? body.code : "unauthenticated",
    issues: Array.isArray(body.issues) ? body.issues as Issue[] : [],
    requestId,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
