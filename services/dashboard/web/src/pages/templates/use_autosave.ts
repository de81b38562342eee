import { useEffect, useEffectEvent } from "react";
import type { TemplateView } from "../../../../interface/templates.ts";
import type { Draft } from "./use_draft.ts";

/** From the last change to saving it, in milliseconds. */
const PAUSE_MS = 4_000;
/** After saving has failed. */
const LONG_PAUSE_MS = 20_000;

/**
 * Saves a draft a few seconds after its last change. While another person's changes wait for a decision,
 * nothing is saved.
 */
export function useAutosave(view: TemplateView, { draft, isOn }: { draft: Draft; isOn: boolean }) {
  const { source, sampleError, isUnsaved, isSaving, hasFailed, isParted, theirs, revision } = draft;
  const save = useEffectEvent(() => void draft.save({ isQuiet: true }));
  const mayBeSaved = isOn && isUnsaved && sampleError === null && !isSaving && !isParted &&
    theirs === null && view.revision <= revision;
  useEffect(() => {
    if (!mayBeSaved) return;
    const timer = setTimeout(() => save(), hasFailed ? LONG_PAUSE_MS : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [source, mayBeSaved, hasFailed]);
}
