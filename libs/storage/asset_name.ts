import type { MailFile } from "@posthaste/contracts";

/** A file that an account keeps under a name. */
export interface AssetName extends Omit<MailFile, "contentId"> {
  accountId: string;
  name: string;
  /** Of an image: its description for readers who do not see it. */
  alt?: string | undefined;
  /** Of an image, in pixels; missing if it has no size of its own. */
  width?: number | undefined;
  height?: number | undefined;
  updatedAt: Date;
}
