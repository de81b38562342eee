import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { byDay } from "@posthaste/kit";
import { findFaults } from "./faults/fault_list.ts";
import { problemsOf } from "./report.ts";
import { openFixture } from "./fixture/open_fixture.ts";
import type { Fixture } from "./fixture/fixture.ts";
import { runFault } from "./run_fault.ts";

const SEED = "short";
const MESSAGES = byDay(50, 80);

/** The faults in `npm test`: one of each kind. `npm run chaos` runs all of them, for longer. */
const SHORT = byDay(["zombie-mailer"], [
  ...["kill-any", "kill-webhooks", "zombie-mailer", "broker-wipe", "mongod-kill"],
  ...["smtp-refusals", "smtp-unknown", "rolling"],
]);

describe("the chaos tests", () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await openFixture();
  });
  after(() => fixture?.[Symbol.asyncDispose]());

  for (const fault of findFaults(SHORT)) {
    test(`${fault.name}: four records agree afterwards`, async () => {
      const result = await runFault(fixture, {
        fault,
        run: fault.name,
        seed: `${SEED}/${fault.name}`,
        messages: MESSAGES,
        seconds: byDay(3, 4),
        quietSeconds: 60,
      });
      assert.equal(problemsOf(result).join("\n"), "");
      assert.ok(result.accepted >= MESSAGES);
      assert.ok(result.crashes + result.injected > 0, "no fault was injected");
    });
  }
});
