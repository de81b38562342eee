import type { FoundVariable, TemplateKind } from "@posthaste/contracts";
import { useMemo } from "react";
import type { TemplateSource } from "../../../../interface/templates.ts";
import type { TemplateWords } from "../../editor/template_completion.ts";
import { valuePaths } from "../../editor/value_paths.ts";
import { useHelpers } from "./template_queries.ts";

/** Returns the completions: found, declared and sample variables, and the helpers. */
export function useTemplateWords(
  kind: TemplateKind,
  { source, found = [] }: { source: TemplateSource; found: readonly FoundVariable[] | undefined },
): TemplateWords {
  const { data: helpers } = useHelpers(kind);
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
      describe: (path) => about.get(path) ?? "",
    };
  }, [sample, variables, found, helpers]);
}
