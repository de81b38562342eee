import type { Variables } from "@posthaste/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
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
  /** Whether the last attempt to save failed. */
  hasFailed: boolean;
  /** Whether something was saved on this page. */
  isSaved: boolean;
  /** Whether another person has saved meanwhile, and nobody has decided yet. */
  isParted: boolean;
  /** Another person's saved draft, while a decision about the conflict is open. */
  theirs: TemplateView | null;
  change(part: Partial<TemplateSource>): void;
  changeSample(text: string): void;
  /** Puts variables into the sample. */
  setSample(sample: Variables): void;
  /**
   * Saves the draft and returns the result; null if that failed, after the person was notified. If it is
   * quiet, the page's own signs of it are enough.
   */
  save(options?: { isQuiet?: boolean }): Promise<TemplateView | null>;
  /** Replaces what is on the page by changes that were not saved. */
  restore(kept: Pick<Draft, "source" | "sampleText">): void;
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
  const [hasFailed, setFailed] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [isParted, setParted] = useState(false);
  /** What the server has, also between two renderings. */
  const known = useRef(base);
  const running = useRef<Promise<TemplateView | null> | null>(null);
  useEffect(() => {
    known.current = base;
  }, [base]);
  const [theirs, setTheirs] = useState<TemplateView | null>(null);
  const { error: sampleError } = readSample(sampleText);
  const isUnsaved = sampleError !== null || !isSameSource(source, base.draft);

  const adopt = (newer: TemplateView) => {
    setBase(newer);
    setSource(newer.draft);
    setSampleText(sampleOf(newer.draft));
    setTheirs(null);
    setParted(false);
    client.setQueryData(templateKey(kind, id), newer);
    void client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
  };

  // Another person's change is loaded immediately if no local change would be lost.
  if (view.revision > base.revision && !isUnsaved && !isSaving) {
    setBase(view);
    setSource(view.draft);
    setSampleText(sampleOf(view.draft));
  }

  const saveOver = async (
    revision: number,
    { isQuiet = false } = {},
  ): Promise<TemplateView | null> => {
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
          const newer = await request<TemplateView>(path);
          setParted(true);
          // The page says so, with a button that compares.
          if (isQuiet) client.setQueryData(templateKey(kind, id), newer);
          else setTheirs(newer);
          return null;
        });
      setFailed(false);
      if (saved === null) return null;
      known.current = { ...saved, draft: source };
      setBase(known.current);
      setTheirs(null);
      setParted(false);
      setSaved(true);
      client.setQueryData(templateKey(kind, id), saved);
      void client.invalidateQueries({ queryKey: templateKey(kind), exact: true });
      return saved;
    } catch (error) {
      setFailed(true);
      if (!isQuiet) showError(error);
      return null;
    } finally {
      setSaving(false);
    }
  };

  // Two saves at the same time would take each other for another person's.
  const inTurn = async (work: () => Promise<TemplateView | null>) => {
    while (running.current !== null) await running.current;
    try {
      return await (running.current = work());
    } finally {
      running.current = null;
    }
  };

  return {
    ...{ source, sampleText, sampleError, isUnsaved, isSaving, theirs, adopt },
    ...{ hasFailed, isSaved, isParted },
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
    restore: (kept) => {
      setSource(kept.source);
      setSampleText(kept.sampleText);
    },
    save: (options) =>
      inTurn(() => {
        const isSame = sampleError === null && isSameSource(source, known.current.draft);
        return isSame ? Promise.resolve(known.current) : saveOver(known.current.revision, options);
      }),
    keepMine: async () => {
      if (theirs === null) return;
      if (await inTurn(() => saveOver(theirs.revision))) showDone("Your version is saved");
    },
  };
}

function sampleOf({ sample }: TemplateSource): string {
  return JSON.stringify(sample, null, 2);
}
