import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PartialPublished, PartialView } from "../../../../interface/partials.ts";
import { HttpError, request } from "../../api.ts";
import { showError } from "../../parts/show_outcome.ts";
import { partialApi, partialKey } from "./partial_queries.ts";

/** The draft of a partial while a person edits it. */
export interface PartialDraft {
  /** As shown on the page. */
  source: string;
  isUnsaved: boolean;
  isSaving: boolean;
  change(source: string): void;
  /** Saves the draft and returns the result; null if that failed, after the person was notified. */
  save(): Promise<PartialView | null>;
  /** Saves and publishes the draft. */
  publish(): Promise<PartialPublished | null>;
}

/** Keeps the draft of a partial, as the server has it, while it is changed on the page. */
export function usePartialDraft(view: PartialView): PartialDraft {
  const { name } = view;
  const client = useQueryClient();
  const [base, setBase] = useState(view);
  const [source, setSource] = useState(view.source);
  const [isSaving, setSaving] = useState(false);
  const isUnsaved = source !== base.source;

  // Another person's change is loaded immediately if no local change would be lost.
  if (view.revision > base.revision && !isSaving) {
    setBase(view);
    if (!isUnsaved) setSource(view.source);
  }

  const keep = (saved: PartialView) => {
    setBase(saved);
    client.setQueryData(partialKey(name), saved);
    void client.invalidateQueries({ queryKey: partialKey(), exact: true });
  };

  const save = async () => {
    if (!isUnsaved) return base;
    setSaving(true);
    try {
      const body = { revision: base.revision, source };
      const saved = await request<PartialView>(`${partialApi(name)}/draft`, {
        method: "PUT",
        body,
      });
      keep(saved);
      return saved;
    } catch (error) {
      const isConflict = error instanceof HttpError && error.code === "conflict";
      showError(isConflict ? new Error(CONFLICT) : error);
      return null;
    } finally {
      setSaving(false);
    }
  };

  return {
    ...{ source, isUnsaved, isSaving, save },
    change: setSource,
    async publish() {
      const saved = await save();
      if (saved === null) return null;
      const body = { revision: saved.revision };
      const published = await request<PartialPublished>(`${partialApi(name)}/publish`, {
        method: "POST",
        body,
      });
      keep({
        ...saved,
        publishedVersion: published.version,
        publishedSource: saved.source,
        hasChanges: false,
      });
      await Promise.all(
        [["templates"], ["thumbnails"]].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      return published;
    },
  };
}

const CONFLICT =
  "Someone else changed this draft. Copy your text, reload the page, and insert it again";
