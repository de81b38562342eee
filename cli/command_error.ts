import { brokerRemedy } from "./broker_remedy.ts";
import { EXIT, type ExitCode } from "./exit_code.ts";

/** One fault among several, with its place if it has one. */
export interface CommandIssue {
  /** `email/welcome/body.mjml:12:5` or `to.0.email`; empty where there is no place. */
  at: string;
  message: string;
}

/** The fields of an error beside its message. */
export interface CommandErrorOptions {
  exitCode: ExitCode;
  /** What the operator can do, as a sentence without a final period. */
  remedy?: string | undefined;
  /** When the server wants the request again, in milliseconds from now. */
  retryAfterMs?: number | undefined;
  issues?: readonly CommandIssue[] | undefined;
  cause?: unknown;
}

/** A command failed. The message is for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;
  readonly remedy: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly issues: readonly CommandIssue[];

  constructor(message: string, options: CommandErrorOptions) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode;
    this.remedy = options.remedy;
    this.retryAfterMs = options.retryAfterMs;
    this.issues = options.issues ?? [];
  }
}

/** Returns the error of a command with wrong arguments. */
export function usageError(message: string, remedy?: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.usage, remedy });
}

/** Returns the error of a command that names a missing object. */
export function notFoundError(message: string, remedy?: string): CommandError {
  return new CommandError(message, { exitCode: EXIT.notFound, remedy });
}

/** Turns any thrown value into a {@linkcode CommandError}. */
export function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (!(error instanceof Error)) {
    return new CommandError(String(error), { exitCode: EXIT.failed });
  }
  if (error.name === "NameTakenError") {
    return new CommandError(error.message, { exitCode: EXIT.refused, cause: error });
  }
  if (error.name === "AmbiguousNameError" && "ids" in error && Array.isArray(error.ids)) {
    const remedy = `use an id: ${error.ids.join(", ")}`;
    return new CommandError(error.message, { exitCode: EXIT.refused, remedy, cause: error });
  }
  // By its shape: zod throws a class of its own that is not loaded for every command.
  if ("issues" in error && Array.isArray(error.issues)) {
    const issues = error.issues.map(({ path, message }): CommandIssue => ({
      at: Array.isArray(path) ? path.join(".") : "",
      message: String(message),
    }));
    const message = "Cannot use the values: they are not valid";
    return new CommandError(message, { exitCode: EXIT.refused, issues, cause: error });
  }
  const remedy = brokerRemedy(error);
  const message = remedy === undefined || error.name === "MissingStreamsError"
    ? error.message
    : `Cannot use the broker: ${error.message}`;
  return new CommandError(message, { exitCode: EXIT.failed, remedy, cause: error });
}
