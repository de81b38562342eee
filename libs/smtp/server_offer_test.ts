import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_OFFER, parseOffer } from "./server_offer.ts";

test("parseOffer() reads keywords in any case, and their parameters", () => {
  const offer = parseOffer([
    "mail.example.com at your service",
    "pipelining",
    "SIZE 35882577",
    "8BITMIME",
    "STARTTLS",
    "AUTH LOGIN PLAIN",
    "AUTH=PLAIN XOAUTH2",
    "SmtpUtf8",
    "X-OTHER  words ",
  ]);
  assert.deepEqual(offer, {
    keywords: [
      ...["pipelining", "SIZE 35882577", "8BITMIME", "STARTTLS", "AUTH LOGIN PLAIN"],
      ...["AUTH=PLAIN XOAUTH2", "SmtpUtf8", "X-OTHER  words"],
    ],
    ...{ pipelining: true, startTls: true, eightBitMime: true, smtpUtf8: true, size: true },
    maxBytes: 35_882_577,
    auth: ["LOGIN", "PLAIN", "XOAUTH2"],
  });
});

test("parseOffer() finds no keyword in the server's name or inside of a word", () => {
  const { pipelining, startTls } = parseOffer(["PIPELINING", "XSTARTTLS", "NO STARTTLS"]);
  assert.deepEqual([pipelining, startTls], [false, false]);
});

test("parseOffer() distinguishes a server without a limit of size from one without SIZE", () => {
  for (const line of ["SIZE", "SIZE 0", "SIZE x"]) {
    const { size, maxBytes } = parseOffer(["a", line]);
    assert.deepEqual([size, maxBytes], [true, undefined], line);
  }
  assert.equal(NO_OFFER.size, false);
});
