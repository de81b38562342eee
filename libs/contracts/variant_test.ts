import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { type EmailVersion, emailVersionSchema } from "./documents.ts";
import { sourceOfVersion } from "./template_draft.ts";
import {
  bodiesOf,
  inLocale,
  MAX_VARIANT_BYTES,
  MAX_VARIANTS,
  missingLanguages,
  sourceInLocale,
  variantFault,
  variantFor,
  variantsSchema,
} from "./variant.ts";

const LANGUAGES = { locale: "en", variants: { de: {}, "pt-BR": {}, "zh-Hant": {}, zh: {} } };

test("variantFor() falls back from region to language, and then to the template's own body", () => {
  for (
    const [wanted, tag] of [
      ["de-AT", "de"],
      ["DE-latn-at", "de"],
      ["de", "de"],
      ["pt-BR", "pt-BR"],
      ["pt-PT", null],
      ["zh-TW", "zh-Hant"],
      ["zh-CN", "zh"],
      ["fr", null],
      ["de_AT", null],
      ["toString", null],
    ] as const
  ) assert.equal(variantFor(LANGUAGES, wanted), tag, wanted);
  assert.equal(variantFor(LANGUAGES, undefined), null);
  assert.equal(variantFor({ locale: "de" }, "de"), null);
});

test("variantFor() prefers the template's own body to a variant that fits less well", () => {
  const languages = { locale: "EN-us", variants: { en: {} } };
  assert.equal(variantFor(languages, "en-US"), null);
  assert.equal(variantFor(languages, "en-GB"), "en");
});

const logo = { sha256: "a".repeat(64), size: 1, filename: "l.png", contentType: "image/png" };
const VERSION: EmailVersion = emailVersionSchema.parse({
  ...{ _id: "acc/email/1/2", accountId: "acc", templateId: 1, version: 2, name: "Hi" },
  ...{ kind: "email", variables: [], sourceHash: "", publishedAt: new Date(), locale: "en" },
  source: { subject: "Hi", html: "<p>Hi" },
  parts: { subject: "Hi", html: "<p>Hi", text: "Hi" },
  reads: [{ path: "a", uses: ["printed"], always: true }],
  assets: [{ name: "us", ...logo }, { name: "eu", ...logo }],
  shows: ["us"],
  variants: {
    de: {
      source: { subject: "Hallo", mjml: "<mjml>", text: "Hallo" },
      parts: { subject: "Hallo", html: "<p>Hallo", text: "Hallo" },
      shows: ["eu"],
    },
    ar: { source: { subject: "س" }, parts: { subject: "س", html: "", text: "" }, shows: [] },
  },
});

test("inLocale() returns a version with the parts, reads and files of one language", () => {
  const german = inLocale(VERSION, "de-AT");
  assert.equal(german._id, "acc/email/1/2@de");
  assert.deepEqual([german.locale, german.parts.subject, german.reads], ["de", "Hallo", undefined]);
  assert.deepEqual(german.assets?.map(({ name }) => name), ["eu"]);
  assert.equal(inLocale(VERSION, "ar").assets, undefined);
  const own = inLocale(VERSION, "fr");
  assert.deepEqual([own._id, own.locale, own.reads?.length], ["acc/email/1/2", "en", 1]);
  assert.deepEqual(own.assets?.map(({ name }) => name), ["us"]);
});

test("inLocale() leaves a version of one language as it is, whatever is wanted", () => {
  const { variants: _, shows: _shows, ...old } = VERSION;
  assert.equal(inLocale(old, "de"), old);
});

test("sourceOfVersion() has the variants in the order of their tags, and sourceInLocale() one", () => {
  const source = sourceOfVersion(VERSION);
  assert.deepEqual(bodiesOf(source).map(({ tag, body }) => [tag, body.subject, body.html]), [
    [null, "Hi", "<p>Hi"],
    ["ar", "س", ""],
    ["de", "Hallo", "<mjml>"],
  ]);
  const { locale, subject, variants, variables } = sourceInLocale(source, "de-CH");
  assert.deepEqual([locale, subject, variants, variables], ["de", "Hallo", undefined, []]);
  const xml = { ...source, invoice: "<a/>" };
  assert.deepEqual([sourceInLocale(xml, "de").invoice, sourceInLocale(xml, "fr").invoice], [
    undefined,
    "<a/>",
  ]);
});

test("variantsSchema() makes tags canonical, and refuses others, repeated and too many ones", () => {
  const schema = variantsSchema(z.string());
  assert.deepEqual(schema.parse({ "PT-br": "olá", iw: "שלום" }), { "pt-BR": "olá", he: "שלום" });
  const faults = (variants: Record<string, string>) =>
    schema.safeParse(variants).error?.issues.map(({ path, message }) =>
      `${path.join()} ${message}`
    );
  assert.deepEqual(faults({ "de-AT": "", "de-at": "" }), ['de-at is "de-AT" again']);
  for (const tag of ["de_AT", "de-u-nu-latn", "", "x-klingon", "*", "$where", "de.AT"]) {
    assert.match(faults({ [tag]: "" })?.[0] ?? "", /must be a language tag/, tag);
  }
  const regions = Array.from({ length: MAX_VARIANTS + 1 }, (_, index) => `en-${100 + index}`);
  const many = Object.fromEntries(regions.map((tag) => [tag, ""]));
  assert.match(faults(many)?.[0] ?? "", /more than 50 languages/);
});

test("variantFault() refuses the own language twice, and too much text", () => {
  assert.equal(variantFault({ locale: "en", variants: { de: {} } }), undefined);
  assert.match(variantFault({ locale: "DE", variants: { de: {} } }) ?? "", /own body/);
  const variants = { de: { html: "ä".repeat(MAX_VARIANT_BYTES / 2) } };
  assert.match(variantFault({ locale: "en", variants }) ?? "", /must not exceed 4 MB/);
});

test("missingLanguages() counts regions as served by their language, and the other way round", () => {
  assert.deepEqual(missingLanguages(["en-US", "de"], ["en", "de-AT", "fr", "en-GB", "fr"]), [
    ...["en-GB", "fr"],
  ]);
  assert.deepEqual(missingLanguages([], ["pt", "de"]), ["de", "pt"]);
  assert.deepEqual(missingLanguages(["zh-Hant"], ["zh-TW", "zh"]), []);
});
