import type { DraftSource } from "@posthaste/contracts";

/** What a new template may begin as. */
export interface Example {
  id: string;
  name: string;
  /** One sentence. */
  about: string;
  /** What it has more than an empty one. */
  source: Partial<DraftSource>;
}
