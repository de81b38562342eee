import assert from "node:assert/strict";
import { test } from "node:test";
import { dataDirOf } from "./data_dir.ts";

test("dataDirOf() takes a relative folder as one of the repository", () => {
  const root = "/home/ann/posthaste";
  assert.equal(dataDirOf({}, root), "/home/ann/posthaste/.posthaste");
  assert.equal(dataDirOf({ DATA_DIR: "" }, root), "/home/ann/posthaste/.posthaste");
  assert.equal(dataDirOf({ DATA_DIR: "data" }, root), "/home/ann/posthaste/data");
  assert.equal(dataDirOf({ DATA_DIR: "/data" }, root), "/data");
});
