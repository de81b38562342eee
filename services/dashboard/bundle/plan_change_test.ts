import assert from "node:assert/strict";
import { test } from "node:test";
import type { NamedSource } from "@posthaste/bundle";
import type { DraftSource, Template, TemplateDraft } from "@posthaste/contracts";
import { planArchive, planChange } from "./plan_change.ts";
import { shownSource, type TemplateState } from "./template_state.ts";

const sourceOf = (subject: string, sample = {}): DraftSource => ({
  ...{ subject, html: "<p>x</p>", text: "", filename: "", variables: [] },
  ...{ locale: "en", page: null, sample },
});

const wantedOf = (subject: string, more: Partial<NamedSource> = {}): NamedSource => ({
  ...{ kind: "email", alias: "welcome", name: "Welcome", source: sourceOf(subject) },
  ...more,
});

interface Parts {
  /** Subject of the published version. */
  live?: string;
  /** Subject of a draft that was changed. */
  draft?: string;
  /** Who changed it; by default a push. */
  by?: string;
}

function stateOf({ live, draft, by }: Parts): TemplateState {
  const publishedVersion = live === undefined ? null : 3;
  const template = { kind: "email", alias: "welcome", name: "Welcome", publishedVersion };
  const { subject, html } = sourceOf(live ?? "");
  const version = { kind: "email", version: 3, variables: [], locale: "en" };
  return {
    template: template as Template,
    published: live === undefined
      ? null
      : { ...version, source: { subject, html } } as unknown as TemplateState["published"],
    draft: draft === undefined ? null : {
      ...{ source: sourceOf(draft), revision: 2, base: null, updatedBy: by ?? null },
    } as TemplateDraft,
  };
}

/** Returns the plan in one line; the pushed template has the subject "new". */
function planOf(parts: Parts | null, publish: boolean, wanted = wantedOf("new")): string {
  const change = planChange(wanted, parts === null ? null : stateOf(parts), { publish });
  if (change === null) return "nothing";
  const { replacesDraft, overwritesDraft, draftBase, files } = change;
  return [
    change.change,
    ...change.publish ? ["publish"] : [],
    ...replacesDraft ? [`draft(${draftBase})`] : [],
    ...overwritesDraft ? ["CONFLICT"] : [],
    files.join("+"),
  ].join(" ");
}

const ALL = "body.html.hbs+subject.hbs+template.json";

test("planChange() creates missing templates, and publishes those that are not live", () => {
  assert.equal(planOf(null, false), `create draft(null) ${ALL}`);
  assert.equal(planOf(null, true), `create publish draft(null) ${ALL}`);
  assert.equal(planOf({ live: "old" }, true), "update publish draft(null) subject.hbs");
  assert.equal(planOf({ live: "old" }, false), "update draft(null) subject.hbs");
  assert.equal(planOf({ draft: "new" }, true), `update publish draft(null) ${ALL}`);
});

test("planChange() changes nothing after an equal push", () => {
  for (const publish of [false, true]) assert.equal(planOf({ live: "new" }, publish), "nothing");
  assert.equal(planOf({ live: "old", draft: "new" }, false), "nothing");
  assert.equal(planOf({ live: "old", draft: "new", by: "usr_1" }, false), "nothing");
});

test("planChange() finds where a person's unpublished draft would be lost", () => {
  const edited = { live: "old", draft: "mine", by: "usr_1" };
  assert.equal(planOf(edited, false), "update draft(null) CONFLICT subject.hbs");
  assert.equal(planOf(edited, true), "update publish draft(null) CONFLICT subject.hbs");
  assert.equal(planOf({ ...edited, draft: "new" }, true), "update publish draft(null) subject.hbs");
});

test("planChange() keeps a person's unpublished draft if the files equal the live version", () => {
  const edited = { live: "new", draft: "mine", by: "usr_1" };
  for (const publish of [false, true]) {
    assert.equal(planOf(edited, publish), "nothing");
    const renamed = wantedOf("new", { name: "Hello" });
    assert.equal(planOf(edited, publish, renamed), "update template.json");
    assert.equal(planOf({ live: "new", draft: "pushed" }, publish), "update draft(3) subject.hbs");
  }
});

test("planChange() renames without a version, and changes a sample only in the draft", () => {
  const renamed = wantedOf("new", { name: "Hello" });
  assert.equal(planOf({ live: "new" }, true, renamed), "update template.json");
  const sampled = wantedOf("new", { source: sourceOf("new", { a: 1 }) });
  assert.equal(planOf({ live: "new" }, true, sampled), "update draft(3) sample.json");
});

test("planChange() finds the result of shownSource() unchanged", () => {
  for (const live of [undefined, "live"]) {
    for (const draft of [undefined, "draft"]) {
      for (const by of [undefined, "usr_1"]) {
        const parts = { ...live && { live }, ...draft && { draft }, ...by && { by } };
        const source = shownSource(stateOf(parts));
        if (source === null) continue;
        assert.equal(planOf(parts, false, wantedOf("", { source })), "nothing");
      }
    }
  }
});

test("planArchive() finds where a person's unpublished draft would be lost", () => {
  assert.equal(planArchive(stateOf({ live: "a", draft: "b", by: "usr_1" })).overwritesDraft, true);
  assert.equal(planArchive(stateOf({ live: "a", draft: "b" })).overwritesDraft, false);
});
