import assert from "node:assert/strict";
import { test } from "node:test";
import { waitingReason } from "./waiting_reason.ts";

test("waitingReason() begins with the cause, which a narrow column would cut off", () => {
  const reason = "The SMTP server cannot be reached: the connection was refused";
  assert.equal(waitingReason({ reason, ahead: 0 }), `${reason}. Next in the queue`);
  assert.equal(waitingReason({ reason, ahead: 12 }), `${reason}. Behind 12 others`);
});

test("waitingReason() does not end the sentence of a server again", () => {
  const reason = "The integration is suspended: 535 Wrong password.";
  assert.equal(waitingReason({ reason, ahead: 0 }), `${reason} Next in the queue`);
});
