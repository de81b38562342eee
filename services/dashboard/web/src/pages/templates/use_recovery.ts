import { useEffect, useState } from "react";
import type { TemplateView } from "../../../../interface/templates.ts";
import { useSession } from "../../session.tsx";
import { findKeptDraft, forgetDraft, keepDraft, type KeptDraft } from "./kept_draft.ts";
import { isSameSource } from "./source_sections.ts";
import type { Draft } from "./use_draft.ts";

/** From the last change to keeping it in the browser, in milliseconds. */
const PAUSE_MS = 500;

/** Unsaved changes of an earlier visit, and what can be done with them. */
export interface Recovery {
  /** Null if there are none. */
  kept: KeptDraft | null;
  restore(): void;
  discard(): void;
  /** Forgets the changes of this visit. */
  forget(): void;
}

/** Keeps the unsaved changes of a draft in this browser, and finds those of an earlier visit. */
export function useRecovery(view: TemplateView, draft: Draft): Recovery {
  const { user, account } = useSession();
  const place = { accountId: account.id, userId: user.id, kind: view.kind, id: view.id };
  const [kept, setKept] = useState(() => {
    const found = findKeptDraft(place);
    return found !== null && isSameSource(found.source, view.draft) ? null : found;
  });
  const { source, sampleText, revision, isUnsaved } = draft;
  const { accountId, userId, kind, id } = place;

  useEffect(() => {
    const place = { accountId, userId, kind, id };
    if (!isUnsaved) {
      // What an earlier visit left stays until the person has decided.
      if (kept === null) forgetDraft(place);
      return;
    }
    const keep = () =>
      keepDraft(place, { revision, at: new Date().toISOString(), source, sampleText });
    const timer = setTimeout(keep, PAUSE_MS);
    addEventListener("pagehide", keep);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", keep);
    };
  }, [source, sampleText, revision, isUnsaved, kept, accountId, userId, kind, id]);

  return {
    kept,
    restore() {
      if (kept === null) return;
      draft.restore(kept);
      // Another person has saved since: both versions are shown.
      if (kept.revision !== view.revision) draft.compareWith(view);
      setKept(null);
    },
    discard() {
      setKept(null);
    },
    forget: () => forgetDraft(place),
  };
}
