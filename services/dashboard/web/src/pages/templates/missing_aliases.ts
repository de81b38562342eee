import { TEMPLATE_KINDS, type TemplateKind } from "@posthaste/contracts";
import type { TemplateRow } from "../../../../interface/templates.ts";
import { HttpError, request } from "../../api.ts";
import { suggestAlias } from "./suggest_alias.ts";
import { KINDS } from "./template_kind.ts";

/** A template without an alias, and the alias to suggest. */
export interface MissingAlias {
  kind: TemplateKind;
  id: number;
  name: string;
  alias: string;
}

/** Returns the missing aliases that prevent an export, with suggestions; none for another error. */
export async function missingAliases(error: unknown): Promise<MissingAlias[]> {
  if (!(error instanceof HttpError) || error.code !== "alias_missing") return [];
  const places = new Set(error.issues.map(({ path }) => path));
  const found: MissingAlias[] = [];
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
