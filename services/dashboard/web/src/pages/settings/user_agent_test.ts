import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName } from "./user_agent.ts";

test("browserName() distinguishes browsers that name each other", () => {
  const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
  const names: [string, string][] = [
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`,
      "Edge on Windows",
    ],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/140.0 Safari/537.36`, "Chrome on Linux"],
    [
      `Mozilla/5.0 (Linux; Android 15) ${webkit} Chrome/140.0 Mobile Safari/537.36`,
      "Chrome on Android",
    ],
    ["Mozilla/5.0 (Windows NT 10.0; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox on Windows"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604",
      "Safari on iPhone",
    ],
    ["curl/8.0", "A browser"],
    ["", "A browser"],
  ];
  for (const [userAgent, name] of names) assert.equal(browserName(userAgent), name);
});
