import assert from "node:assert/strict";
import { test } from "node:test";
import { brandFault, brandKind, brandSource, brandValues, freeName } from "./brand_values.ts";

test("brandValues() and brandSource() keep names, values and their order", () => {
  const values = [{ name: "linkColor", value: "#0a5" }, { name: "logo", value: "mark" }];
  assert.deepEqual(brandValues(brandSource(values)), values);
  assert.deepEqual(brandValues("{"), []);
  assert.deepEqual(brandValues("null"), []);
  assert.equal(brandSource([{ name: "", value: "x" }]), "{}");
});

test("brandKind() knows colours, fonts and images by the ends of their names", () => {
  const kinds = ["color", "linkColor", "headFont", "logo", "address"].map(brandKind);
  assert.deepEqual(kinds, ["colour", "colour", "font", "image", "text"]);
});

test("brandFault() says what the server would refuse", () => {
  const good = { name: "a", value: "b" };
  assert.equal(brandFault(good, [good]), null);
  assert.ok(brandFault(good, [good, good])?.name);
  assert.ok(brandFault({ name: "a b", value: "" }, [])?.name);
  assert.ok(brandFault({ name: "a", value: "</style>" }, [])?.value);
});

test("freeName() returns a name of the same kind that is free", () => {
  const values = [{ name: "color", value: "" }, { name: "2-color", value: "" }];
  assert.equal(freeName("logo", values), "logo");
  assert.equal(freeName("color", values), "3-color");
  assert.equal(brandKind("3-color"), "colour");
});
