import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpError } from "./http_error.ts";
import { z } from "zod";
import { listReader, pageOf, searchedPage } from "./read_list.ts";

const read = listReader("things", { color: z.enum(["red", "blue"]).optional() });

function codeOf(query: unknown, accountId = "acc_1"): string {
  try {
    read(accountId, query);
  } catch (error) {
    if (error instanceof HttpError) return `${error.code} ${error.issues?.[0]?.path ?? ""}`.trim();
    throw error;
  }
  return "read";
}

test("listReader() reads limit and filters, and refuses unknown parameters", () => {
  assert.equal(read("acc_1", {}).limit, 25);
  assert.deepEqual(read("acc_1", { color: "red", limit: "100" }).filters, { color: "red" });
  for (const limit of ["0", "101", "x", "", "1.5", ["1", "2"]]) {
    assert.equal(codeOf({ limit }), "invalid_request limit", String(limit));
  }
  assert.equal(codeOf({ colour: "red" }), "invalid_request colour");
  assert.equal(codeOf({ color: "green" }), "invalid_request color");
});

test("listReader() accepts a cursor only for the list, account and filters that it came with", () => {
  const red = read("acc_1", { color: "red" }).cursorAfter("17");
  assert.equal(read("acc_1", { color: "red", cursor: red, limit: "3" }).after, "17");
  assert.equal(codeOf({ cursor: red }), "invalid_cursor");
  assert.equal(codeOf({ color: "blue", cursor: red }), "invalid_cursor");
  assert.equal(codeOf({ color: "red", cursor: red }, "acc_2"), "invalid_cursor");
  assert.equal(codeOf({ cursor: "17" }), "invalid_cursor");
  const other = listReader("others", {})("acc_1", {}).cursorAfter("17");
  assert.equal(codeOf({ cursor: other }), "invalid_cursor");
});

test("pageOf() returns a cursor only if more items follow", () => {
  const request = read("acc_1", { limit: "2" });
  assert.deepEqual(pageOf([1, 2], request, String), { data: [1, 2], next: null });
  const { data, next } = pageOf([1, 2, 3], request, String);
  assert.deepEqual(data, [1, 2]);
  assert.equal(read("acc_1", { cursor: next }).after, "2");
  assert.deepEqual(pageOf([], request, String), { data: [], next: null });
});

test("searchedPage() says that a search ran out of time, and where it continues", () => {
  const { cursorAfter } = read("acc_1", {});
  const cut = searchedPage([1], { next: "7", isCut: true, cursorAfter });
  assert.deepEqual([cut.data, cut.incomplete], [[1], true]);
  assert.equal(read("acc_1", { cursor: cut.next }).after, "7");
  const whole = searchedPage([1], { next: null, isCut: false, cursorAfter });
  assert.deepEqual(whole, { data: [1], next: null });
});
