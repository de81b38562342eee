import type { TemplateKind } from "@posthaste/contracts";
import { useQuery } from "@tanstack/react-query";
import type {
  ExampleRow,
  HelperRow,
  TemplateRow,
  TemplateView,
  VersionRow,
  VersionView,
} from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { KINDS } from "./template_kind.ts";

/** Returns the cache key for the templates of a kind. */
export function templateKey(kind: TemplateKind, ...rest: (string | number)[]) {
  return ["templates", kind, ...rest] as const;
}

/** The templates of a kind. */
export function useTemplates(kind: TemplateKind, { enabled = true } = {}) {
  return useQuery({
    queryKey: templateKey(kind),
    queryFn: ({ signal }) => request<TemplateRow[]>(KINDS[kind].api, { signal }),
    enabled,
  });
}

/** Returns one template; for null, queries none. */
export function useTemplate(kind: TemplateKind, id: number | null) {
  return useQuery({
    queryKey: templateKey(kind, id ?? 0),
    queryFn: ({ signal }) => request<TemplateView>(`${KINDS[kind].api}/${id}`, { signal }),
    enabled: id !== null,
  });
}

/** Returns the examples that a new template can start from. */
export function useExamples(kind: TemplateKind, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: templateKey(kind, "examples"),
    queryFn: ({ signal }) => request<ExampleRow[]>(`${KINDS[kind].api}/examples`, { signal }),
    staleTime: Infinity,
    enabled,
  });
}

/** Returns the helpers that templates can call. */
export function useHelpers(kind: TemplateKind) {
  return useQuery({
    queryKey: templateKey(kind, "helpers"),
    queryFn: ({ signal }) => request<HelperRow[]>(`${KINDS[kind].api}/helpers`, { signal }),
    staleTime: Infinity,
  });
}

/** The history of a template, newest first. */
export function useVersions(kind: TemplateKind, id: number) {
  return useQuery({
    queryKey: templateKey(kind, id, "versions"),
    queryFn: ({ signal }) => request<VersionRow[]>(`${KINDS[kind].api}/${id}/versions`, { signal }),
    staleTime: 0,
  });
}

/** A published version, which never changes. */
export function useVersion(
  kind: TemplateKind,
  { id, version }: { id: number; version: number | null },
) {
  return useQuery({
    queryKey: templateKey(kind, id, "versions", version ?? 0),
    queryFn: ({ signal }) =>
      request<VersionView>(`${KINDS[kind].api}/${id}/versions/${version}`, { signal }),
    staleTime: Infinity,
    enabled: version !== null,
  });
}
