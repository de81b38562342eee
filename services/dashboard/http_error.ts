import { type EdgeErrors, HttpError as Base, type ShownIssue } from "@posthaste/http";
import { DASHBOARD_ERROR_STATUS, type DashboardErrorCode } from "./interface/error_code.ts";

/** The error of a refused or failed request, with a code of the dashboard. */
export const HttpError = Base<DashboardErrorCode, ShownIssue>;
/** The error of a refused or failed request, with a code of the dashboard. */
export type HttpError = Base<DashboardErrorCode, ShownIssue>;

/** How the dashboard answers errors. */
export const DASHBOARD_ERRORS: EdgeErrors<DashboardErrorCode> = {
  statuses: DASHBOARD_ERROR_STATUS,
  codes: { invalid_json: "invalid_request", unknown_route: "not_found" },
  messages: {
    internal: "Unexpected error. See the dashboard's log",
    unknown_route: "There is no such page",
  },
};

/** Returns the error for a person whose address is not verified. */
export function unproven(email: string): HttpError {
  return new HttpError("unproven", `Verify your address ${email} first`);
}
