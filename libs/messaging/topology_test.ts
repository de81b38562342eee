import { EVENTS, type EventType, PRIORITIES } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { consumerOf, CONSUMERS, STREAMS, subjectOf, typeOfSubject } from "./topology.ts";

const SUBJECTS = (Object.keys(EVENTS) as EventType[]).flatMap((type) =>
  PRIORITIES.flatMap((priority) =>
    [[], ["pdf"]].map((pdfs) => ({
      type,
      subject: subjectOf(type, { priority, messages: [{ pdfs }] }),
    }))
  )
);

function matches(pattern: string, subject: string): boolean {
  const expression = pattern.replaceAll(".", "\\.").replaceAll("*", "[^.]+").replace(">", ".+");
  return new RegExp(`^${expression}$`).test(subject);
}

test("subjectOf() sends each event to exactly one stream", () => {
  for (const { subject } of SUBJECTS) {
    const streams = STREAMS.filter(({ subjects }) =>
      subjects.some((pattern) => matches(pattern, subject))
    );
    assert.equal(streams.length, 1, subject);
  }
});

test("subjectOf() sends work to exactly one consumer, which reads from the right stream", () => {
  const work = SUBJECTS.filter(({ type }) => !type.startsWith("status."));
  for (const { subject } of work) {
    const consumers = CONSUMERS.filter(({ filterSubjects }) => filterSubjects.includes(subject));
    assert.equal(consumers.length, 1, subject);
    const stream = STREAMS.find(({ name }) => name === consumers[0]?.stream);
    assert.ok(stream?.subjects.some((pattern) => matches(pattern, subject)), subject);
  }
});

test("subjectOf() sends a message with PDFs to the printer and one without to the mailer", () => {
  const of = (pdfs: unknown[]) =>
    subjectOf("messages.rendered", { priority: "bulk", messages: [{ pdfs }] });
  assert.equal(of([{}]), "messages.rendered.print.bulk");
  assert.equal(of([]), "messages.rendered.mail.bulk");
});

test("typeOfSubject() knows the type of every subject", () => {
  for (const { type, subject } of SUBJECTS) assert.equal(typeOfSubject(subject), type);
  assert.equal(typeOfSubject("webhook.delivered"), undefined);
});

test("consumerOf() names a consumer for each stage and priority", () => {
  for (const stage of ["renderer", "pdf", "mailer"] as const) {
    for (const priority of PRIORITIES) {
      const name = consumerOf(stage, priority);
      assert.ok(CONSUMERS.some((plan) => plan.name === name), name);
    }
  }
});
