import assert from "node:assert/strict";
import { test } from "node:test";
import { findKeptDraft, forgetDraft, forgetDrafts, keepDraft } from "./kept_draft.ts";

class Places implements Storage {
  [name: string]: unknown;
  readonly #items = new Map<string, string>();
  room = 10_000;
  get length(): number {
    return this.#items.size;
  }
  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    if (value.length > this.room) throw new DOMException("full", "QuotaExceededError");
    this.#items.set(key, value);
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
  clear(): void {
    this.#items.clear();
  }
}

const PLACE = { accountId: "acc", userId: "ada", kind: "email", id: 7 } as const;
const DRAFT = {
  ...{ revision: 3, at: "2026-03-02T10:00:00.000Z", sampleText: "{}" },
  source: {
    ...{ subject: "Hi", html: "<p>", text: "", filename: "", variables: [], locale: "en" },
    ...{ page: null, sample: {} },
  },
};
const at = (time: string, places: Places) => ({ now: Date.parse(time), places });

test("findKeptDraft() returns what keepDraft() kept, for the same person and template", () => {
  const places = new Places();
  keepDraft(PLACE, DRAFT, places);
  const when = at("2026-03-02T11:00:00Z", places);
  assert.deepEqual(findKeptDraft(PLACE, when), DRAFT);
  for (
    const other of [{ userId: "bob" }, { accountId: "b" }, { kind: "pdf" }, { id: 8 }] as const
  ) {
    assert.equal(findKeptDraft({ ...PLACE, ...other }, when), null);
  }
  forgetDraft(PLACE, places);
  assert.equal(findKeptDraft(PLACE, when), null);
});

test("findKeptDraft() forgets what is old, or not whole", () => {
  const places = new Places();
  keepDraft(PLACE, DRAFT, places);
  assert.equal(findKeptDraft(PLACE, at("2026-03-09T10:00:01Z", places)), null);
  assert.equal(places.length, 0);
  for (const text of ["{", "null", "{}", '{"source":{"html":1}}']) {
    places.setItem("posthaste.draft.acc.ada.email.7", text);
    assert.equal(findKeptDraft(PLACE, at("2026-03-02T11:00:00Z", places)), null, text);
  }
});

test("keepDraft() keeps nothing stale if the browser has no room", () => {
  const places = new Places();
  keepDraft(PLACE, DRAFT, places);
  places.room = 10;
  keepDraft(PLACE, { ...DRAFT, revision: 4 }, places);
  assert.equal(places.length, 0);
});

test("forgetDrafts() forgets the drafts of all people, and nothing else", () => {
  const places = new Places();
  places.setItem("other", "1");
  keepDraft(PLACE, DRAFT, places);
  keepDraft({ ...PLACE, userId: "bob" }, DRAFT, places);
  forgetDrafts(places);
  assert.deepEqual([places.length, places.getItem("other")], [1, "1"]);
  // The page that is left keeps its changes when it is closed.
  keepDraft(PLACE, DRAFT, places);
  assert.equal(places.length, 1);
  // Somebody has opened an editor.
  findKeptDraft(PLACE, { places });
  keepDraft(PLACE, DRAFT, places);
  assert.equal(places.length, 2);
});
