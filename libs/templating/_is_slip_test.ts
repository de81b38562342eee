import assert from "node:assert/strict";
import { test } from "node:test";
import { isSlip } from "./_is_slip.ts";

test("isSlip() recognizes one wrong, missing, added or swapped letter, and other capitals", () => {
  const slips = ["nmae", "naem", "nam", "naame", "namee", "nane", "anme", "Name", "NAME"];
  for (const slip of slips) assert.ok(isSlip(slip, "name"), slip);
  assert.ok(isSlip("adress", "address"));
  assert.ok(isSlip("firstname", "first_name"));
  assert.ok(isSlip("ID", "id"));
});

test("isSlip() accepts two names that only look similar", () => {
  const pairs = [
    ...["line1 line2", "line line1", "fname lname", "date rate", "tax fax", "id ip", "due date"],
    ...["total subtotal", "email mail", "city state", "name surname"],
  ];
  for (const pair of pairs) {
    const [a = "", b = ""] = pair.split(" ");
    assert.ok(!isSlip(a, b) && !isSlip(b, a), pair);
  }
});
