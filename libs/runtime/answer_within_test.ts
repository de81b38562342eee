import { stallProcess } from "@posthaste/kit";
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { answerWithin } from "./answer_within.ts";

test("answerWithin() takes an answer that had come before a stalled process could look at its limit", async () => {
  const answer = answerWithin(20, stat(import.meta.dirname));
  stallProcess(200);
  assert.ok((await answer).isDirectory());
});

test("answerWithin() throws when there is no answer, and rethrows a failure", async () => {
  await assert.rejects(answerWithin(20, new Promise(() => {})), /no answer within 20 ms/);
  await assert.rejects(answerWithin(60_000, Promise.reject(new Error("refused"))), /refused/);
});
