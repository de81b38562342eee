import type { Send, TemplateKind } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** When templates were last used, by kind and id. */
export interface TemplateUses extends Readonly<Record<TemplateKind, ReadonlyMap<number, Date>>> {
  /** The email template that each PDF template was last mailed with, by the id of the PDF template. */
  readonly mailedWith: ReadonlyMap<number, number>;
}

/** Look-ups of the use of templates. */
export interface TemplateUse {
  /** Returns when templates were last used, according to the newest `sends` sends of an account. */
  uses(accountId: string, sends: number): Promise<TemplateUses>;
}

/** Returns the operations on the use of templates. */
export function templateUse(db: Db): TemplateUse {
  const { sends } = collectionsOf(db);
  return {
    async uses(accountId, limit) {
      const uses = {
        email: new Map<number, Date>(),
        pdf: new Map<number, Date>(),
        mailedWith: new Map<number, number>(),
      };
      const newest = sends.find({ accountId }).sort({ _id: -1 }).limit(limit)
        .project<Pick<Send, "acceptedAt" | "template" | "pdfVersions">>({
          ...{ _id: 0, acceptedAt: 1, template: 1, pdfVersions: 1 },
        });
      for await (const { acceptedAt, template, pdfVersions } of newest) {
        // A withdrawn send has only its id.
        if (template === undefined) continue;
        const ids = Object.keys(pdfVersions).map(Number);
        if (!uses.email.has(template.id)) uses.email.set(template.id, acceptedAt);
        for (const id of ids) {
          if (uses.pdf.has(id)) continue;
          uses.pdf.set(id, acceptedAt);
          uses.mailedWith.set(id, template.id);
        }
      }
      return uses;
    },
  };
}
