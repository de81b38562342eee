import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateSource } from "../../../../interface/templates.ts";
import {
  draftInLanguage,
  languageFault,
  withLanguage,
  withoutLanguage,
} from "./draft_in_language.ts";

const SOURCE: TemplateSource = {
  ...{ subject: "Hello", html: "<p>Hello", text: "", filename: "", invoice: "<a/>" },
  ...{ variables: [], locale: "en", page: null, sample: {} },
  variants: { de: { subject: "Hallo", html: "<p>Hallo", text: "", filename: "" } },
};

/** Returns the source after a change that was made in a language. */
function changed(tag: string | null, part: Partial<TemplateSource>): TemplateSource {
  let source = SOURCE;
  const change = (part: Partial<TemplateSource>) => void (source = { ...source, ...part });
  draftInLanguage({ source, change }, tag).change(part);
  return source;
}

test("draftInLanguage() shows the body of a language, and what all of them share", () => {
  const { source } = draftInLanguage({ source: SOURCE, change: () => {} }, "de");
  assert.deepEqual([source.subject, source.invoice, source.locale], ["Hallo", undefined, "en"]);
  const draft = { source: SOURCE, change: () => {} };
  assert.equal(draftInLanguage(draft, null), draft);
  assert.equal(draftInLanguage(draft, "fr"), draft);
});

test("draftInLanguage() changes the body of its language alone, and what all share for all", () => {
  const german = changed("de", { subject: "Guten Tag", invoice: "<b/>" });
  assert.deepEqual([german.subject, german.invoice], ["Hello", "<a/>"]);
  assert.deepEqual(german.variants?.["de"], {
    ...{ subject: "Guten Tag", html: "<p>Hallo", text: "", filename: "", invoice: "<b/>" },
  });
  const shared = changed("de", { variables: [{ name: "a", required: true }], locale: "en-GB" });
  assert.deepEqual([shared.locale, shared.variables.length], ["en-GB", 1]);
  assert.deepEqual(shared.variants, SOURCE.variants);
  assert.equal(changed(null, { subject: "Hi" }).variants?.["de"]?.subject, "Hallo");
});

test("withLanguage() begins with a copy of the own body, and withoutLanguage() leaves no empty list", () => {
  const { variants } = withLanguage(SOURCE, "fr");
  assert.deepEqual(Object.keys(variants ?? {}), ["de", "fr"]);
  assert.deepEqual([variants?.["fr"]?.subject, variants?.["fr"]?.invoice], ["Hello", "<a/>"]);
  assert.deepEqual(withoutLanguage(SOURCE, "de"), { variants: undefined });
});

test("languageFault() refuses what is no language tag, and what the template has", () => {
  for (const text of ["de", "DE", "en", "", "de_AT", "de-u-nu-latn", "german language"]) {
    assert.notEqual(languageFault(SOURCE, text), null, text);
  }
  for (const text of ["fr", "pt-br", "zh-Hant", "de-AT"]) {
    assert.equal(languageFault(SOURCE, text), null, text);
  }
});
