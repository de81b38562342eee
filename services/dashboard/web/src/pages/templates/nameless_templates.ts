import { TEMPLATE_KINDS } from "@posthaste/contracts";
import type { TemplateRow } from "../../../../interface/templates.ts";
import type { Nameless } from "./alias_dialog.tsx";
import { HttpError, request } from "../../api.ts";
import { suggestAlias } from "./suggest_alias.ts";
import { KINDS } from "./template_kind.ts";

/** Returns the templates whose missing aliases prevent an export, with suggestions; none for another error. */
export async function namelessTemplates(error: unknown): Promise<Nameless[]> {
  if (!(error instanceof HttpError) || error.code !== "alias_missing") return [];
  const places = new Set(error.issues.map(({ path }) => path));
  const found: Nameless[] = [];
  for (const kind of TEMPLATE_KINDS) {
    const rows = await request<TemplateRow[]>(KINDS[kind].api);
    const taken = new Set(rows.flatMap(({ alias }) => alias ?? []));
    for (const { id, name } of rows.filter(({ id }) => places.has(`${kind}/${id}`))) {
      const alias = suggestAlias(name, taken);
      taken.add(alias);
      found.push({ kind, id, name, alias });
    }
  }
  return found;
}
