import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateSource } from "../../../../interface/templates.ts";
import { changedSections, isSameSource, sourceSections } from "./source_sections.ts";

const SOURCE: TemplateSource = {
  subject: "Hello",
  html: "<p>Hello</p>",
  text: "",
  filename: "",
  variables: [],
  locale: "en",
  page: null,
  sample: { a: 1, b: { c: 2, d: 3 } },
};

test("changedSections() returns the sections that differ, before and after", () => {
  const after = { ...SOURCE, subject: "Good day", sample: { ...SOURCE.sample, a: 2 } };
  const changed = changedSections(SOURCE, after);
  assert.deepEqual(changed.map(({ name }) => name), ["Subject", "Sample data"]);
  assert.equal(changed[0]?.before, "Hello");
  assert.equal(changed[0]?.after, "Good day");
});

test("changedSections() finds HTML that became MJML", () => {
  const [changed] = changedSections(SOURCE, { ...SOURCE, html: "<mjml></mjml>" });
  assert.equal(changed?.name, "MJML");
  assert.equal(changed?.before, "<p>Hello</p>");
});

test("isSameSource() ignores the order of fields in JSON", () => {
  assert.ok(isSameSource(SOURCE, { ...SOURCE, sample: { b: { d: 3, c: 2 }, a: 1 } }));
  assert.ok(!isSameSource(SOURCE, { ...SOURCE, sample: { b: { d: 3, c: 3 }, a: 1 } }));
});

test("sourceSections() shows of a PDF its file name and page setup, and no subject or text", () => {
  const page = { format: "A4" } as unknown as TemplateSource["page"];
  const names = sourceSections({ ...SOURCE, page }).map(({ name }) => name);
  assert.deepEqual(names, [
    "HTML",
    "File name",
    "Invoice XML",
    "Page setup",
    "Variables",
    "Language",
    "Sample data",
  ]);
});

test("changedSections() shows the languages of both sources, by their tags", () => {
  const body = { subject: "Hallo", html: "<p>", text: "", filename: "" };
  const before = { ...SOURCE, variants: { de: body, fr: { ...body, subject: "Salut" } } };
  const after = { ...SOURCE, variants: { de: { ...body, html: "<mjml>" }, it: body } };
  const changed = changedSections(before, after);
  assert.deepEqual(changed.map(({ name, before, after }) => [name, before, after]), [
    ["MJML (de)", "<p>", "<mjml>"],
    ["Subject (it)", "", "Hallo"],
    ["HTML (it)", "", "<p>"],
    ["Language", "en\nde\nfr", "en\nde\nit"],
    ["Subject (fr)", "Salut", ""],
    ["HTML (fr)", "<p>", ""],
  ]);
  const empty = { subject: "", html: "", text: "", filename: "" };
  assert.ok(!isSameSource(SOURCE, { ...SOURCE, variants: { de: empty } }));
});
