import type { Send, TemplateKind } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** When templates were last used, by kind and id. */
export type TemplateUses = Readonly<Record<TemplateKind, ReadonlyMap<number, Date>>>;

/** What can be told about the use of templates. */
export interface TemplateUse {
  /** Tells when templates were used last, as far as an account's newest sends tell: so many of them. */
  templateUses(accountId: string, sends: number): Promise<TemplateUses>;
}

/** Gives the operations on the use of templates. */
export function templateUse(db: Db): TemplateUse {
  const { sends } = collectionsOf(db);
  return {
    async templateUses(accountId, limit) {
      const uses = { email: new Map<number, Date>(), pdf: new Map<number, Date>() };
      const newest = sends.find({ accountId }).sort({ _id: -1 }).limit(limit)
        .project<Pick<Send, "acceptedAt" | "template" | "pdfVersions">>({
          ...{ _id: 0, acceptedAt: 1, template: 1, pdfVersions: 1 },
        });
      for await (const { acceptedAt, template, pdfVersions } of newest) {
        // What was withdrawn has nothing left but its id.
        if (template === undefined) continue;
        const ids = Object.keys(pdfVersions).map(Number);
        if (!uses.email.has(template.id)) uses.email.set(template.id, acceptedAt);
        for (const id of ids) if (!uses.pdf.has(id)) uses.pdf.set(id, acceptedAt);
      }
      return uses;
    },
  };
}
