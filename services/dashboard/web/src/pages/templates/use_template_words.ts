import type { FoundVariable, TemplateKind } from "@posthaste/contracts";
import { useMemo } from "react";
import type { PartialRow } from "../../../../interface/partials.ts";
import type { TemplateSource } from "../../../../interface/templates.ts";
import type { TemplateWords } from "../../editor/template_completion.ts";
import { valuePaths } from "../../editor/value_paths.ts";
import { BRAND, usePartials } from "../partials/partial_queries.ts";
import { useHelpers } from "./template_queries.ts";

/** Returns the completions: found, declared and sample variables, and the helpers. */
export function useTemplateWords(
  kind: TemplateKind,
  { source, found = [] }: { source: TemplateSource; found: readonly FoundVariable[] | undefined },
): TemplateWords {
  const { data: helpers } = useHelpers(kind);
  const { data: partials } = usePartials();
  const { sample, variables } = source;
  return useMemo(() => {
    const paths = new Set([
      ...valuePaths(sample),
      ...variables.map(({ name }) => name),
      ...found.flatMap((variable) => variable.paths),
    ]);
    const about = new Map(variables.map(({ name, description }) => [name, description ?? ""]));
    return {
      paths: [...paths],
      helpers: helpers ?? [],
      partials: callable(partials),
      describe: (path) => about.get(path) ?? "",
    };
  }, [sample, variables, found, helpers, partials]);
}

/** Returns the completions of a partial: what it reads, helpers, and partials. */
export function usePartialWords(found: readonly FoundVariable[] = NONE): TemplateWords {
  const { data: helpers } = useHelpers("email");
  const { data: partials } = usePartials();
  return useMemo(() => ({
    paths: found.flatMap((variable) => variable.paths),
    helpers: helpers ?? [],
    partials: ["@partial-block", ...callable(partials)],
    describe: () => "",
  }), [found, helpers, partials]);
}

const NONE: readonly FoundVariable[] = [];

function callable(partials: readonly PartialRow[] = []): string[] {
  return partials.filter(({ name, publishedVersion }) =>
    name !== BRAND && publishedVersion !== null
  )
    .map(({ name }) => name);
}
