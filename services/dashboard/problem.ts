import { HttpError } from "@posthaste/http";
import { PROBLEM_STATUS, type ProblemBody, type ProblemCode } from "./interface/problem.ts";

/** What a problem may tell beside its code and sentence. */
export interface ProblemOptions extends ErrorOptions {
  issues?: ProblemBody["issues"];
  /** Seconds after which the same request may succeed. */
  retryAfter?: number;
}

/** A request that is not done. The message is for the person at the browser; `cause` is for the log. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly issues: ProblemBody["issues"];
  readonly retryAfter: number | undefined;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    const { issues, retryAfter, ...rest } = options;
    super(message, rest);
    this.code = code;
    this.issues = issues;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return PROBLEM_STATUS[this.code];
  }

  get body(): ProblemBody {
    const { code, issues } = this;
    return { error: this.message, code, ...(issues === undefined ? {} : { issues }) };
  }
}

/** Finds the problem in any thrown value. What nobody foresaw tells the browser nothing. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HttpError) return problemOf(error);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  switch (code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new Problem("unsupported_media_type", "Cannot read the request: it is not JSON");
  }
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new Problem("invalid_request", "Cannot read the request", { cause: error });
  }
  return new Problem("internal", "Unexpected error. See the dashboard's log", {
    cause: error,
  });
}

/**
 * Refuses what ends in signing in by password, where the operator wants none.
 *
 * @throws {Problem} `not_allowed`
 */
export function requirePasswords({ hasPasswords = true }: { hasPasswords?: boolean }): void {
  if (hasPasswords) return;
  throw new Problem("not_allowed", "Sign-in by password is disabled here. Use your provider");
}

/** Refuses what takes an address that was shown to be theirs. */
export function unproven(email: string): Problem {
  return new Problem("unproven", `Verify your address ${email} first`);
}

/** Returns what `libs/http` refuses. */
function problemOf({ code, message, issues, retryAfter, cause }: HttpError): Problem {
  const known = code in PROBLEM_STATUS ? code as ProblemCode : "invalid_request";
  return new Problem(known, message, {
    cause,
    ...(issues === undefined ? {} : { issues }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
