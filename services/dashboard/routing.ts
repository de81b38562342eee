import type { DashboardDeps } from "./dashboard_deps.ts";
import type { DashboardOptions } from "./dashboard_options.ts";
import type { IssuedPdfs } from "./templates/issued_pdfs.ts";
import type { UploadLimit } from "./upload_limit.ts";
import type { SystemMail } from "./system_mail.ts";

/** What a group of routes receives. */
export interface Routing {
  deps: DashboardDeps;
  options: DashboardOptions;
  /** What Posthaste itself writes; undefined if the operator has named no account for it. */
  mail: SystemMail | undefined;
  /** The printed previews that accounts received. */
  issued: IssuedPdfs;
  uploads: UploadLimit;
}
