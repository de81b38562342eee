import { useEffect, useState } from "react";
import type { PreviewView } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { partialApi } from "./partial_queries.ts";

/** From the last keystroke to the request, in milliseconds. */
const PAUSE_MS = 400;

/** The state of the preview. */
export interface PartialPreviewState {
  /** The newest answer. */
  view: PreviewView | null;
  /** The newest answer with output: it stays visible while the source has faults. */
  good: PreviewView | null;
  error: Error | null;
  isWaiting: boolean;
}

const NOTHING = { view: null, good: null, error: null };

/** Renders a partial, a moment after its last change: alone, or in a template (`email/3`). */
export function usePartialPreview(
  name: string,
  { source, within }: { source: string; within: string | null },
): PartialPreviewState {
  const [shown, setShown] = useState<Omit<PartialPreviewState, "isWaiting">>(NOTHING);
  const [isWaiting, setWaiting] = useState(true);
  const [drawn, setDrawn] = useState(within);
  if (drawn !== within) {
    setDrawn(within);
    setShown(NOTHING);
  }
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const [kind, id] = within?.split("/") ?? [];
    const body = { source, ...(kind === undefined ? {} : { template: { kind, id: Number(id) } }) };
    const ask = async () => {
      try {
        const path = `${partialApi(name)}/preview`;
        const view = await request<PreviewView>(path, { method: "POST", body, signal });
        if (signal.aborted) return;
        setShown(({ good }) => ({ view, good: view.output === null ? good : view, error: null }));
      } catch (error) {
        if (signal.aborted) return;
        const reason = error instanceof Error ? error : new Error(String(error));
        setShown((before) => ({ ...before, error: reason }));
      }
      setWaiting(false);
    };
    setWaiting(true);
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [name, source, within]);
  return { ...shown, isWaiting };
}
