import assert from "node:assert/strict";
import { test } from "node:test";
import { imageTag, shownWidth } from "./image_tag.ts";

test("shownWidth() is no wider than a mail, and nothing for an image without a size", () => {
  assert.deepEqual([40, 1600, 0, null].map((width) => shownWidth({ width })), [
    ...[40, 600, null, null],
  ]);
});

test("imageTag() shows an image in HTML or MJML", () => {
  const logo = { name: "logo", alt: "", width: 200 };
  assert.equal(
    imageTag(logo, { isMjml: false }),
    '<img src="{{asset "logo"}}" alt="" width="200">',
  );
  assert.equal(
    imageTag({ ...logo, width: 600 }, { isMjml: true }),
    '<mj-image src="{{asset "logo"}}" alt="" width="600px" />',
  );
  const odd = imageTag({ name: "a.b", alt: '"{{x}}" & Co', width: null }, { isMjml: false });
  assert.equal(odd, '<img src="{{asset "a.b"}}" alt="&quot;{ {x}}&quot; &amp; Co">');
});
