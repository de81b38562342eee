import type { FastifyInstance, FastifyReply } from "fastify";
import { DATA_HEADERS } from "./data_headers.ts";
import { type EdgeErrors, errorAnswer, toHttpError } from "./edge_errors.ts";
import { HttpError } from "./http_error.ts";

/** The destinations of the error handler's reports. */
export interface ErrorHandling<Code extends string> {
  errors: EdgeErrors<Code>;
  logger: { error(message: string, fields: Record<string, unknown>): void };
  /** Counts an answered error. */
  onError?: (code: Code) => void;
}

/**
 * Answers every error of an app in the edge's format, also for unknown paths, and logs the causes of
 * `internal`. A request of an unknown path is refused before its body is read: its caller is unknown.
 */
export function handleErrors<Code extends string>(
  app: FastifyInstance,
  { errors, logger, onError }: ErrorHandling<Code>,
): void {
  const unknownRoute = () => new HttpError("unknown_route", errors.messages.unknown_route);
  app.addHook("onRequest", (request, _reply, done) => {
    done(request.is404 ? unknownRoute() : undefined);
  });
  app.setErrorHandler((thrown, request, reply) => {
    const error = toHttpError(thrown, errors);
    if (error.code === "internal") {
      logger.error("Cannot answer a request", { error: error.cause, requestId: request.id });
    }
    onError?.(error.code);
    // The framework closes the connection when a body is refused. A client that is still writing would get a
    // reset instead of the answer. The rest is read and dropped, within the time limit.
    reply.removeHeader("connection");
    return sendError(reply, error, errors);
  });
  app.setNotFoundHandler((_request, reply) => sendError(reply, unknownRoute(), errors));
}

/** Answers with an error. */
export function sendError<Code extends string>(
  reply: FastifyReply,
  error: unknown,
  errors: EdgeErrors<Code>,
): FastifyReply {
  const { status, headers, body } = errorAnswer(error, errors);
  return reply.code(status).headers({ ...DATA_HEADERS, ...headers }).send(body);
}
