import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { safeSvg } from "./_safe_svg.ts";

const NAMESPACES =
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

const inside = (content: string) => {
  const { svg = "" } = safeSvg(`<svg viewBox="0 0 4 2">${content}</svg>`) ?? {};
  assert.ok(svg.startsWith(`${NAMESPACES} viewBox="0 0 4 2">`), svg);
  return svg.slice(svg.indexOf(">") + 1, -"</svg>".length);
};

test("safeSvg() keeps what draws", () => {
  const drawing = '<defs><linearGradient id="a"><stop offset="1" stop-color="#f00"></stop>' +
    '</linearGradient></defs><g fill="url(#a)" transform="scale(2)"><path d="M0 0h4v2z"></path>' +
    '</g><use xlink:href="#a" style="stroke: url(&quot;#a&quot;)"></use>' +
    "<style>.a &gt; .b { fill: red }</style><text>1 &lt; 2 &amp; 3</text>";
  assert.equal(inside(drawing), drawing);
  const picture = '<image href="data:image/png;base64,iVBORw0KGgo="></image>';
  assert.equal(inside(picture), picture);
});

test("safeSvg() leaves out what could run or load something", () => {
  const left = "<path></path>";
  const unsafe = [
    "<script>alert(1)</script>",
    "<script xlink:href='https://evil.example/a.js'/>",
    "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><script>1</script></body></foreignObject>",
    "<a href='javascript:alert(1)'><path/></a>",
    "<set attributeName='onclick' to='alert(1)'/>",
    "<animate attributeName='href' values='javascript:alert(1)'/>",
    "<iframe src='https://evil.example'/>",
    "<x:script xmlns:x='http://www.w3.org/2000/svg'>alert(1)</x:script>",
    "<SCRIPT>alert(1)</SCRIPT>",
    "<!-- comment --><?xml-stylesheet href='https://evil.example/a.css'?>",
    "<metadata><rdf:RDF/></metadata>",
  ];
  for (const each of unsafe) assert.equal(inside(`${each}<path/>`), left, each);
  const attributes = [
    "onload='alert(1)'",
    "onLoad='alert(1)'",
    "href='https://evil.example/a.svg#x'",
    "xlink:href='data:image/svg+xml;base64,PHN2Zz4='",
    "href='javascript:alert(1)'",
    "style='background: url(https://evil.example/a.png)'",
    "fill='url(//evil.example#a)'",
    "style='behavior: url(#default)'",
    "style='a: \\75rl(https://evil.example)'",
    "xml:base='https://evil.example/'",
    "xmlns:x='urn:x'",
  ];
  for (const each of attributes) assert.equal(inside(`<path ${each}/>`), left, each);
  for (const css of ["@import 'https://evil.example'", "a { b: url(https://evil.example) }"]) {
    assert.equal(inside(`<style>${css}</style>`), "<style></style>", css);
    assert.equal(inside(`<style><![CDATA[${css}]]></style>`), "<style></style>", css);
  }
});

test("safeSvg() declares no entities, and writes well-formed XML whatever it reads", () => {
  const bomb = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg><text>&b;</text></svg>';
  assert.match(safeSvg(bomb)?.svg ?? "", /<text>&amp;b;<\/text><\/svg>$/);
  assert.equal(inside("<g><path></g>"), "<g><path></path></g>");
  assert.equal(inside("<g"), "");
  assert.equal(
    inside('<g id="a<b>&quot;">\u0000</g>'),
    '<g id="a&lt;b&gt;&quot;">\uFFFD</g>'.replace("\uFFFD", ""),
  );
  for (const none of ["", "<html><svg/></html>", "<g/>", "text", "<svg:svg/>"]) {
    assert.equal(safeSvg(none), undefined, none);
  }
  assert.equal(safeSvg("<svg>" + "<g>".repeat(200)), undefined);
});

test("safeSvg() reads the size, also from the view box", () => {
  const sizeOf = (attributes: string) => {
    const { width, height } = safeSvg(`<svg ${attributes}/>`) ?? {};
    return [width, height];
  };
  assert.deepEqual(sizeOf('width="40" height="20px"'), [40, 20]);
  assert.deepEqual(sizeOf('viewBox="0 0 64 32"'), [64, 32]);
  assert.deepEqual(sizeOf('width="128" viewBox="0,0,64,32"'), [128, 64]);
  assert.deepEqual(sizeOf('width="1in" height="100%" viewBox="0 0 2 1"'), [96, 48]);
  assert.deepEqual(sizeOf(""), [0, 0]);
});

test("safeSvg() takes time proportional to the length of malicious images", async () => {
  const images: ((count: number) => string)[] = [
    (count) => `<svg width="1${" ".repeat(count)}!"/>`,
    (count) => `<svg><image href="data:image/png;base64,${" ".repeat(count)}!"/></svg>`,
    (count) => `<svg><use href="${" ".repeat(count)}!"/></svg>`,
    (count) => `<svg>${"<g>".repeat(count)}${"</x>".repeat(count)}`,
    (count) => `<svg>${"<a>".repeat(count)}${"</x>".repeat(count)}`,
  ];
  for (const image of images) {
    const [short, long] = [image(5_000), image(40_000)];
    const ratio = await cpuRatio(() => safeSvg(long), () => safeSvg(short), { runs: 3, below: 24 });
    assert.ok(ratio < 24, `${long.slice(0, 40)}: ${ratio} times as long for 8 times as much`);
  }
});
