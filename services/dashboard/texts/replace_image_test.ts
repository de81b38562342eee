import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOfImage, replaceImage } from "./replace_image.ts";

const NEW = { name: "l", alt: 'The "shop" & Co', width: 120, ratio: 2 };
const WRITTEN = "The &quot;shop&quot; &amp; Co";

test("replaceImage() changes the address, the description and the width of one image only", () => {
  const source =
    `<img src={{ logo }} width=9><p>x</p>\n<img alt='A' src="a.png" height="40" width="80">`;
  assert.equal(
    replaceImage(source, 0, NEW),
    source.replace(
      "<img src={{ logo }} width=9>",
      `<img alt="${WRITTEN}" src="{{asset "l"}}" width="120">`,
    ),
  );
  assert.equal(
    replaceImage(source, 1, NEW),
    source.replace(
      `<img alt='A' src="a.png" height="40" width="80">`,
      `<img alt='${WRITTEN}' src="{{asset "l"}}" height="60" width="120">`,
    ),
  );
  assert.equal(replaceImage(source, 2, NEW), source);
});

test("replaceImage() adds what is missing, and writes pixels in MJML", () => {
  assert.equal(
    replaceImage(`<mj-image src="{{asset 'b'}}" />`, 0, { ...NEW, alt: "It's" }),
    `<mj-image width="120px" alt="It&#39;s" src="{{asset "l"}}" />`,
  );
});

test("replaceImage() removes a width in pixels if there is to be none, and keeps others", () => {
  const none = { ...NEW, alt: "", width: null };
  assert.equal(
    replaceImage('<img alt="A" width="80" src="a.png" height=40>', 0, none),
    '<img alt="" src="{{asset "l"}}">',
  );
  const relative = '<img alt="{{name}}" width="100%" src="a.png" height="{{h}}">';
  assert.equal(
    replaceImage(relative, 0, { ...none, alt: null }),
    relative.replace("a.png", '{{asset "l"}}'),
  );
});

test("lookOfImage() reads the description and the width", () => {
  const source =
    '<img src="a.png" alt="A &amp; &quot;B&quot;" width="80"><img src="b.png" width="50%">' +
    '<mj-image src="c.png" alt="{{ name }}" width="160px" />';
  assert.deepEqual([0, 1, 2, 3].map((number) => lookOfImage(source, number)), [
    ...[{ alt: 'A & "B"', width: 80 }, { alt: "", width: null }, { alt: null, width: 160 }],
    { alt: "", width: null },
  ]);
});
