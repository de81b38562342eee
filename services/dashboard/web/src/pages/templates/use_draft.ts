import type { Variables } from "@posthaste/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DraftChange, TemplateSource, TemplateView } from "../../../../interface/templates.ts";
import { HttpError, request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { readSample } from "./read_sample.ts";
import { isSameSource } from "./source_sections.ts";
import { KINDS } from "./template_kind.ts";
import { templateKey } from "./template_queries.ts";

/** A draft while a person edits it. */
export interface Draft {
  /** As shown on the page; its sample is the last valid JSON. */
  source: TemplateSource;
  /** The sample as typed. */
  sampleText: string;
  /** Why the sample cannot be read; null if it can. */
  sampleError: string | null;
  /** The server's revision that the edits are based on. */
  revision: number;
  isUnsaved: boolean;
  isSaving: boolean;
  /** Another person's saved draft, while a decision about the conflict is open. */
  theirs: TemplateView | null;
  change(part: Partial<TemplateSource>): void;
  changeSample(text: string): void;
  /** Puts variables into the sample. */
  setSample(sample: Variables): void;
  /** Saves the draft and returns the result; null if that failed, after the person was notified. */
  save(): Promise<TemplateView | null>;
  /** Replaces the draft by the server's. */
  adopt(view: TemplateView): void;
  /** Shows another person's saved draft beside the page's. */
  compareWith(view: TemplateView | null): void;
  /** Overwrites another person's saved draft with the page's. */
  keepMine(): Promise<void>;
}

/** Keeps the draft of a template, as the server has it, while it is changed on the page. */
export function useDraft(view: TemplateView): Draft {
  const { kind, id } = view;
  const client = useQueryClient();
  const [base, setBase] = useState(view);
  const [source, setSource] = useState(view.draft);
  const [sampleText, setSampleText] = useState(() => sampleOf(view.draft));
  const [isSaving, setSaving] = useState(false);
  const [theirs, setTheirs] = useState<TemplateView | null>(null);
  const { error: sampleError } = readSample(sampleText);
  const isUnsaved = sampleError !== null || !isSameSource(source, base.draft);

  const adopt = (newer: TemplateView) => {
    setBase(newer);
    setSource(newer.draft);
    setSampleText(sampleOf(newer.draft));
    setTheirs(null);
    client.setQueryData(templateKey(kind, id), newer);
    void client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
  };

  // Another person's change is loaded at once if no local change would be lost.
  if (view.revision > base.revision && !isUnsaved && !isSaving) {
    setBase(view);
    setSource(view.draft);
    setSampleText(sampleOf(view.draft));
  }

  const saveOver = async (revision: number): Promise<TemplateView | null> => {
    if (sampleError !== null) {
      showError(`Cannot save the draft: the sample data is not a JSON object: ${sampleError}`);
      return null;
    }
    setSaving(true);
    try {
      const path = `${KINDS[kind].api}/${id}`;
      const body: DraftChange = { revision, source };
      const saved = await request<TemplateView>(`${path}/draft`, { method: "PUT", body })
        .catch(async (error: unknown) => {
          if (!(error instanceof HttpError) || error.code !== "conflict") throw error;
          setTheirs(await request<TemplateView>(path));
          return null;
        });
      if (saved === null) return null;
      setBase({ ...saved, draft: source });
      setTheirs(null);
      client.setQueryData(templateKey(kind, id), saved);
      void client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
      return saved;
    } catch (error) {
      showError(error);
      return null;
    } finally {
      setSaving(false);
    }
  };

  return {
    ...{ source, sampleText, sampleError, isUnsaved, isSaving, theirs, adopt },
    revision: base.revision,
    compareWith: setTheirs,
    change: (part) => setSource((before) => ({ ...before, ...part })),
    changeSample: (text) => {
      setSampleText(text);
      const { sample } = readSample(text);
      if (sample !== null) setSource((before) => ({ ...before, sample }));
    },
    setSample: (sample) => {
      setSampleText(JSON.stringify(sample, null, 2));
      setSource((before) => ({ ...before, sample }));
    },
    save: () => isUnsaved ? saveOver(base.revision) : Promise.resolve(base),
    keepMine: async () => {
      if (theirs !== null && await saveOver(theirs.revision)) showDone("Your version is saved");
    },
  };
}

function sampleOf({ sample }: TemplateSource): string {
  return JSON.stringify(sample, null, 2);
}
