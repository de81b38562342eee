import { ERROR_STATUS, type ErrorCode, type Issue } from "@posthaste/contracts";
import { type EdgeErrors, HttpError as Base } from "@posthaste/http";

/** The error of a refused or failed request, with a code of the api. */
export const HttpError = Base<ErrorCode, Issue>;
/** The error of a refused or failed request, with a code of the api. */
export type HttpError = Base<ErrorCode, Issue>;

/** How the api answers errors (docs/http.md). */
export const API_ERRORS: EdgeErrors<ErrorCode> = {
  statuses: ERROR_STATUS,
  codes: {},
  messages: {
    internal: "Cannot answer the request: unexpected error",
    unknown_route: "Cannot find the path: no such route",
  },
};
