import assert from "node:assert/strict";
import { test } from "node:test";
import { imageTag } from "./image_tag.ts";

test("imageTag() shows an image in HTML or MJML, no wider than a mail", () => {
  const logo = { name: "logo", alt: "", width: 200 };
  assert.equal(
    imageTag(logo, { isMjml: false }),
    '<img src="{{asset "logo"}}" alt="" width="200">',
  );
  assert.equal(
    imageTag({ ...logo, width: 1600 }, { isMjml: true }),
    '<mj-image src="{{asset "logo"}}" alt="" width="600px" />',
  );
  const odd = imageTag({ name: "a.b", alt: '"{{x}}" & Co', width: null }, { isMjml: false });
  assert.equal(odd, '<img src="{{asset "a.b"}}" alt="&quot;{ {x}}&quot; &amp; Co">');
});
