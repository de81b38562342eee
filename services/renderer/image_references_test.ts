import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { findImages, withAddresses } from "./image_references.ts";

function urlsOf(html: string): string[] {
  return findImages(html).flatMap(({ urls }) => urls);
}

function inlined(html: string): string {
  return withAddresses(html, findImages(html), () => "data:image/png;base64,AA==");
}

test("findImages() finds what a browser would load as an image", () => {
  const html = `<!DOCTYPE html><style>p{background:url( 'http://a/1?x=1&y=2' )}</style>` +
    `<body background=http://a/2><img alt=">" SRC='https://a/3?x=1&amp;y=2'>` +
    `<table background="HTTP://a/4"><tr><td style="background:url(&quot;http://a/5&quot;),` +
    `url(http://a/6)">x</table><svg><image xlink:href="http://a/7"/><image href=http://a/8 />` +
    `</svg><input type=image src="http://a/9">`;
  assert.deepEqual(urlsOf(html), [
    ...["http://a/1?x=1&y=2", "http://a/2", "https://a/3?x=1&y=2", "HTTP://a/4", "http://a/5"],
    ...["http://a/6", "http://a/7", "http://a/8", "http://a/9"],
  ]);
});

test("findImages() finds nothing else", () => {
  const html =
    `<a href="http://a/1"><script src="http://a/2"></script><!-- <img src=http://a/3> -->` +
    `<iframe src="http://a/4"></iframe><p title="url(http://a/5)">http://a/6 url(http://a/7)</p>` +
    `<img src="data:image/png,x"><img src="file:///etc/passwd"><textarea><img src=http://a/8>` +
    `</textarea><link rel=stylesheet href="http://a/9">`;
  assert.deepEqual(urlsOf(html), []);
});

test("withAddresses() changes only the places of images", () => {
  const data = "data:image/png;base64,AA==";
  assert.equal(
    inlined(
      `<P  class=a><IMG  src=http://a/1 alt=x><br/><p style='color:red;background:url("http://a/2")'>é\r\n`,
    ),
    `<P  class=a><IMG  src="${data}" alt=x><br/><p style="color:red;background:url(&quot;${data}&quot;)">é\r\n`,
  );
  assert.equal(
    inlined(`<style>a{b:url(http://a/1)}\n</style>`),
    `<style>a{b:url("${data}")}\n</style>`,
  );
  const plain = `<p>nothing <img src="data:,">`;
  assert.equal(inlined(plain), plain);
});

test("withAddresses() removes srcset, so that src counts", () => {
  assert.equal(
    inlined(
      `<picture><source srcset="http://a/1 2x"><img srcset="https://a/2" src="http://a/3"></picture>`,
    ),
    `<picture><source ><img  src="data:image/png;base64,AA=="></picture>`,
  );
});

test("withAddresses() keeps an address that has no replacement", () => {
  const html = `<img src="http://a/1"><p style="background:url(http://a/2)">`;
  assert.equal(withAddresses(html, findImages(html), () => undefined), html);
});

test("findImages() takes time linear in the length of the HTML", async () => {
  const url = "http://a/1";
  const malicious: ((times: number) => string)[] = [
    (times) => `<img src=${url} ${Array.from({ length: times }, (_, n) => ` a${n}`).join("")}>`,
    (times) => `<img src='${url}'>${"<a '".repeat(times)}`,
    (times) => `<img src=${url}>${"<!--".repeat(times)}`,
    (times) => `<img src=${url}>${"<b x=1>".repeat(times)}`,
    (times) => `<img src=${url}>${"<style>".repeat(times)}`,
    (times) => `<img src=${url}>${"<p style='url(".repeat(times)}`,
    (times) => `<style>p{background:url(${url})}${"url( ".repeat(times)}</style>`,
    (times) => `<img src=${url}><p a${" ".repeat(times)}b${"=".repeat(times)}`,
  ];
  for (const htmlOf of malicious) {
    const find = (times: number) => {
      const html = htmlOf(times);
      return () => assert.deepEqual(urlsOf(html).slice(0, 1), [url], html.slice(0, 60));
    };
    const ratio = await cpuRatio(find(100_000), find(12_500), { runs: 3, below: 24 });
    // Linear is 8, quadratic 64.
    assert.ok(ratio < 24, `${htmlOf(1)}: ${ratio} times`);
  }
});
