import assert from "node:assert/strict";
import { test } from "node:test";
import { userCacheDir } from "./user_cache_dir.ts";

test("userCacheDir() prefers XDG_CACHE_HOME, unless it is relative", () => {
  assert.equal(userCacheDir({ XDG_CACHE_HOME: "/c", HOME: "/h" }), "/c/posthaste");
  assert.equal(userCacheDir({ XDG_CACHE_HOME: "c", HOME: "/h" }), "/h/.cache/posthaste");
  assert.equal(userCacheDir({ HOME: "/h" }), "/h/.cache/posthaste");
});
