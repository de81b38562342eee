import type { ProblemBody, ProblemCode } from "../../interface/problem.ts";

/** What the server refused, in words for the person at the browser. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly code: ProblemCode | "offline";
  readonly issues: NonNullable<ProblemBody["issues"]>;

  constructor(code: ProblemCode | "offline", message: string, issues: ProblemBody["issues"] = []) {
    super(message);
    this.code = code;
    this.issues = issues;
  }
}

let csrfToken = "";

/** Has every change from now on carry this token of the session. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Options of {@linkcode request}. */
export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Asks the dashboard's interface.
 *
 * @throws {ApiProblem} What it refused, or that it cannot be reached.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = "GET", body, signal } = options;
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      credentials: "same-origin",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "GET" ? {} : { "x-csrf-token": csrfToken }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiProblem("offline", "The dashboard cannot be reached");
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  const { error, code, issues } = (answer ?? {}) as Partial<ProblemBody>;
  throw new ApiProblem(code ?? "internal", error ?? "Something unforeseen happened", issues);
}
