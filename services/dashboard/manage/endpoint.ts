import type { Endpoint } from "@posthaste/contracts";
import { z } from "zod";
import type { DashboardErrorCode } from "../interface/error_code.ts";

/** One request of the interface for management. */
export interface ManageEndpoint extends Endpoint<DashboardErrorCode> {
  /** What its row in docs/manage.md says, in Markdown; by default the summary. */
  about?: string;
}

/** The answer `{}`. */
export const EMPTY = z.strictObject({});
