import type { TemplateKind } from "@posthaste/contracts";
import { useEffect, useState } from "react";
import type { PreviewRequest, TemplateSource } from "../../../../../interface/templates.ts";
import type { MarkedPreview } from "../../../../../interface/texts.ts";
import { request } from "../../../api.ts";
import { KINDS } from "../template_kind.ts";
import type { Preview } from "../use_preview.ts";

/** A change of the source reaches the preview's own state a moment later, in milliseconds. */
const PAUSE_MS = 50;

/** A marked preview, and the source that it was made of. */
export interface Marked extends MarkedPreview {
  of: TemplateSource;
}

/** Renders the marked copy of a source, after its preview is there. It returns null until then. */
export function useMarked(
  kind: TemplateKind,
  { source, preview, tag, isOn }: {
    source: TemplateSource;
    preview: Preview;
    tag: string | null;
    isOn: boolean;
  },
): Marked | null {
  const [marked, setMarked] = useState<Marked | null>(null);
  const [editor] = useState(() => crypto.randomUUID());
  const { view, isWaiting } = preview;
  const isShown = !isWaiting && view !== null && view.output !== null;
  useEffect(() => {
    if (!isOn || !isShown) return;
    const abort = new AbortController();
    const { signal } = abort;
    const locale = tag === null ? {} : { locale: tag };
    const body: PreviewRequest = { editor, source, ...locale };
    const ask = async () => {
      const path = `${KINDS[kind].api}/preview/texts`;
      const answer = await request<MarkedPreview>(path, { method: "POST", body, signal });
      if (!signal.aborted) setMarked({ ...answer, of: source });
    };
    // Without it, the preview is only not editable; its own errors are shown.
    const timer = setTimeout(() => void ask().catch(() => {}), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [kind, source, tag, isOn, isShown, editor]);
  return isOn ? marked : null;
}
