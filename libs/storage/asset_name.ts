import type { MailFile } from "@posthaste/contracts";

/** A file that an account keeps under a name. */
export interface AssetName extends Omit<MailFile, "contentId"> {
  accountId: string;
  name: string;
  updatedAt: Date;
}
