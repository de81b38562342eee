import assert from "node:assert/strict";
import { test } from "node:test";
import { openScreen } from "./screen.ts";

function open(look: { isTTY?: boolean; isVerbose?: boolean; columns?: number } = {}) {
  const { isTTY = false, isVerbose = false, columns = 30 } = look;
  let text = "";
  const output = { write: (part: string) => text += part, isTTY, columns };
  return { screen: openScreen(output, { isVerbose }), text: () => text };
}

test("Screen.status() rewrites one line on a terminal, below the lines that stay", () => {
  const { screen, text } = open({ isTTY: true });
  screen.status("1 of 2 MB");
  screen.print("news");
  screen.status("");
  assert.equal(text(), "1 of 2 MB\r\x1b[Knews\n1 of 2 MB\r\x1b[K");
});

test("Screen.status() shows whole lines on a terminal that does not say how wide it is", () => {
  const { screen, text } = open({ isTTY: true, columns: 0 });
  screen.status("starting");
  assert.equal(text(), "starting");
});

test("Screen.status() prints numbers once where nothing can be rewritten", () => {
  const { screen, text } = open();
  for (const line of ["starting", "1 of 2 MB", "2 of 2 MB", "done", ""]) screen.status(line);
  assert.equal(text(), "starting\n1 of 2 MB\ndone\n");
});

test("Screen.log() shows important records, all on request, and lines that are not records", () => {
  const info = JSON.stringify({ time: "2026-03-02T09:10:11Z", level: "info", message: "Starting" });
  for (const isVerbose of [false, true]) {
    const { screen, text } = open({ isVerbose });
    screen.log("pdf", info);
    screen.log("pdf", "Error: no");
    assert.match(text(), isVerbose ? /Starting\n.*Error: no\n$/ : /^\S+ pdf +Error: no\n$/);
  }
});
