import assert from "node:assert/strict";
import { test } from "node:test";
import { leavesTraces } from "./leaves_traces.ts";

test("leavesTraces() lets the head of an ordinary document pass", () => {
  const head = `<!doctype html><html><head><meta charset="utf-8"><META NAME=viewport ` +
    `content="width=device-width, initial-scale=1"/><meta http-equiv="Content-Type" ` +
    `content="text/html; charset=utf-8"><style>p{}</style><style type="text/css" media=print>`;
  assert.equal(leavesTraces(head), false);
});

for (
  const html of [
    `<meta http-equiv=refresh content="1;url=about:blank">`,
    `<META\nHTTP-EQUIV='content-security-policy' content="style-src 'none'">`,
    `<meta name=viewport content="a" http-equiv=refresh>`,
    `<meta charset=utf-8 http-equiv=refresh>`,
    `<meta/http-equiv=refresh>`,
    `<style title=a>p{color:red}</style>`,
    `<style data-x=">" title=a>`,
    `<link rel=stylesheet title=b>`,
    `<base href=x>`,
    `<iframe src=x>`,
    `<object data=x>`,
    `<meta name="referrer" content="no-referrer">`,
  ]
) {
  test(`leavesTraces() asks for a fresh page after ${JSON.stringify(html)}`, () => {
    assert.equal(leavesTraces(html), true);
  });
}
