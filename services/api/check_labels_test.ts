import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";

/** Entries of metadata: the longest names and values, of this character. */
const entries = (count: number, prefix: string, character: string) =>
  Object.fromEntries(
    Array.from(
      { length: count },
      (_, at) => [`${prefix}${at}`.padEnd(40, "x"), character.repeat(500)],
    ),
  );

test("sendRoute() limits the bytes of metadata, over a send and its recipient together", async () => {
  await using api = openTestApp();
  const faultsOf = async (top: object | undefined, ...owns: (object | undefined)[]) => {
    const to = owns.map((own, at) => ({
      email: `jane${at}@example.net`,
      ...(own === undefined ? {} : { metadata: own }),
    }));
    const { body } = await api.post(
      SEND,
      smallSend({ ...(top === undefined ? {} : { metadata: top }), to }),
    );
    return (body.issues ?? []).map(({ path, code, message }: Record<string, string>) =>
      `${path} ${code}: ${message}`
    );
  };
  const fault = (path: string) =>
    `${path} too_long: must not exceed 14,000 bytes of JSON, of the send and the recipient together`;
  const full = entries(20, "a", "v");
  assert.deepEqual(await faultsOf(full, undefined, {}), []);
  assert.deepEqual(await faultsOf(undefined, full, undefined), []);
  // Entries of the same name count once.
  assert.deepEqual(await faultsOf(full, full), []);
  assert.deepEqual(await faultsOf(full, undefined, entries(20, "b", "v")), [
    fault("to.1.metadata"),
  ]);
  assert.deepEqual(await faultsOf(entries(20, "a", "ö"), undefined, {}), [fault("metadata")]);
  assert.deepEqual(await faultsOf(undefined, {}, entries(4, "a", "\u0001")), []);
  assert.deepEqual(await faultsOf(undefined, {}, entries(20, "a", "\u0001")), [
    fault("to.1.metadata"),
  ]);
});
