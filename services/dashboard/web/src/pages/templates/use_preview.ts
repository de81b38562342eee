import type { TemplateKind } from "@posthaste/contracts";
import { useEffect, useRef, useState } from "react";
import type {
  PreviewRequest,
  PreviewView,
  TemplateSource,
} from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { KINDS } from "./template_kind.ts";

/** From the last keystroke to the request, in milliseconds. */
const PAUSE_MS = 400;

/** The state of the preview. */
export interface Preview {
  /** The newest answer. */
  view: PreviewView | null;
  /** The newest answer with output: it stays visible while the source has faults. */
  good: PreviewView | null;
  /** Why there is no newer one. */
  error: Error | null;
  isWaiting: boolean;
  /** Requests a new preview. */
  retry(): void;
}

const NOTHING = { view: null, good: null, error: null };

/** Renders a source with the real renderer, a moment after its last change. */
export function usePreview(
  kind: TemplateKind,
  { source, tag }: {
    source: TemplateSource;
    /** The language that is shown; null for the template's own. */
    tag: string | null;
  },
): Preview {
  const [shown, setShown] = useState<Pick<Preview, "view" | "good" | "error">>(NOTHING);
  const [isWaiting, setWaiting] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const isFirst = useRef(true);
  // Each window shows its own draft, however many are open.
  const [editor] = useState(() => crypto.randomUUID());

  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const ask = async () => {
      const locale = tag === null ? {} : { locale: tag };
      const body: PreviewRequest = { editor, source, ...locale };
      try {
        const path = `${KINDS[kind].api}/preview`;
        const view = await request<PreviewView>(path, { method: "POST", body, signal });
        if (signal.aborted) return;
        setShown(({ good }) => ({ view, good: hasResult(view) ? view : good, error: null }));
        setWaiting(false);
      } catch (error) {
        if (signal.aborted) return;
        setShown((before) => ({
          ...before,
          error: error instanceof Error ? error : new Error(String(error)),
        }));
        setWaiting(false);
      }
    };
    setWaiting(true);
    const timer = setTimeout(() => void ask(), isFirst.current ? 0 : PAUSE_MS);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [kind, source, tag, attempt, editor]);

  return { ...shown, isWaiting, retry: () => setAttempt((count) => count + 1) };
}

function hasResult({ output, pdf }: PreviewView): boolean {
  return output !== null && (pdf === null || "key" in pdf);
}
