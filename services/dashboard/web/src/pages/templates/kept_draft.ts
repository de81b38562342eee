import type { TemplateKind } from "@posthaste/contracts";
import type { TemplateSource } from "../../../../interface/templates.ts";

/** Unsaved changes of a draft, as this browser keeps them. */
export interface KeptDraft {
  /** The server's revision that the changes are based on. */
  revision: number;
  /** When they were made, as ISO 8601. */
  at: string;
  source: TemplateSource;
  /** The sample as typed. */
  sampleText: string;
}

/** Whose draft it is. */
export interface KeptPlace {
  accountId: string;
  userId: string;
  kind: TemplateKind;
  id: number;
}

type Places = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const PREFIX = "posthaste.draft.";
const MAX_AGE_MS = 7 * 24 * 3600_000;

/** Whether the person of this page has left: the editor keeps its changes once more when the page is closed. */
let isLeft = false;

/**
 * Keeps unsaved changes in this browser. If its storage is full, they are not kept. After
 * {@linkcode forgetDrafts} nothing is kept until an editor is opened again.
 */
export function keepDraft(place: KeptPlace, draft: KeptDraft, places: Places = localStorage): void {
  if (isLeft) return;
  try {
    places.setItem(keyOf(place), JSON.stringify(draft));
  } catch {
    places.removeItem(keyOf(place));
  }
}

/** Returns the unsaved changes that this browser keeps for at most seven days, or null. */
export function findKeptDraft(
  place: KeptPlace,
  { now = Date.now(), places = localStorage }: { now?: number; places?: Places } = {},
): KeptDraft | null {
  isLeft = false;
  const text = places.getItem(keyOf(place));
  if (text === null) return null;
  try {
    const draft = JSON.parse(text) as KeptDraft;
    const { html, sample } = draft.source;
    const isWhole = typeof html === "string" && typeof sample === "object" &&
      typeof draft.sampleText === "string" && typeof draft.revision === "number";
    if (isWhole && now - Date.parse(draft.at) < MAX_AGE_MS) return draft;
  } catch {
    // Another version of the dashboard wrote it.
  }
  places.removeItem(keyOf(place));
  return null;
}

/** Forgets the unsaved changes of a draft. */
export function forgetDraft(place: KeptPlace, places: Places = localStorage): void {
  places.removeItem(keyOf(place));
}

/** Forgets all unsaved changes, before another person uses this browser. */
export function forgetDrafts(places: Places = localStorage): void {
  isLeft = true;
  const keys = Array.from({ length: places.length }, (_, index) => places.key(index) ?? "");
  for (const key of keys) if (key.startsWith(PREFIX)) places.removeItem(key);
}

function keyOf({ accountId, userId, kind, id }: KeptPlace): string {
  return `${PREFIX}${accountId}.${userId}.${kind}.${id}`;
}
