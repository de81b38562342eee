import type { Invariant } from "../records/reconcile.ts";
import type { Options } from "../options.ts";

/** One place in a source file, and what stands there instead. */
export interface Patch {
  /** From the root of the repository. */
  file: string;
  find: string;
  replace: string;
}

/** A way to break the system that the harness must see. */
export interface Mutation {
  /** As `research/reliability.md`, part D.4 section M, numbers it; `X` are ours. */
  name: string;
  description: string;
  patches: Patch[];
  /** The fault that reveals it. */
  fault: string;
  /** The invariant that must be hurt, and no other one but those that follow. */
  reveals: Invariant;
  /** Invariants that may be hurt, too, and why that cannot be otherwise. */
  follows?: Partial<Record<Invariant, string>>;
  /** How much of it. */
  load: Pick<Options, "messages" | "minutes">;
}

const LIGHT = { messages: 250, minutes: 0.1 };
const LONGER = { messages: 600, minutes: 0.35 };

/** Every mutation that fits the design. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "M1",
    description: "the ledger says sent before the server's reply",
    patches: [{
      file: "services/mailer/send_message.ts",
      find: "  { attempt }: Work,\n  { mail, opened, permit, copies }",
      replace: "  { attempt, message }: Work,\n  { mail, opened, permit, copies }",
    }, {
      file: "services/mailer/send_message.ts",
      find: "    onDot: () => attempt.confirm(),\n",
      replace: "    onDot: async () => {\n      await attempt.confirm();\n" +
        "      const n = message.attempt + 1;\n" +
        "      const at = deps.now();\n" +
        '      const line = (type: "sending" | "sent") => ({ at, type, attempt: n });\n' +
        '      const lines = [line("sending"), line("sent")];\n' +
        '      await attempt.end({ state: "sent" as const, at, lines }, "accepted");\n    },\n',
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I1",
    follows: {
      I5: "the ledger says sent of what the server refused for good",
    },
  },
  {
    name: "M2",
    description: "the answer comes before the ledger's write",
    patches: [{
      file: "services/api/accept_send.ts",
      find: "  const acceptance = await store.acceptSend(send);\n",
      replace:
        "  const acceptance = { accepted: true } as Awaited<ReturnType<typeof store.acceptSend>>;\n" +
        "  setTimeout(() => void store.acceptSend(send).catch(() => undefined), 200);\n",
    }],
    fault: "kill-api",
    load: LONGER,
    reveals: "I1",
    follows: {
      I2:
        "concurrent duplicates of a key differ only by the write, so each becomes a send of its own",
      I3:
        "concurrent duplicates of a key differ only by the write, so each becomes a send of its own",
      I4:
        "concurrent duplicates of a key differ only by the write, so each becomes a send of its own",
      I8:
        "concurrent duplicates of a key differ only by the write, so each becomes a send of its own",
    },
  },
  {
    name: "M3",
    description: "writes are acknowledged by one member before they are on disk",
    patches: [{
      file: "libs/storage/store.ts",
      find: 'writeConcern: { w: "majority", journal: true, wtimeoutMS: WRITE_TIMEOUT_MS }',
      // The harness makes its accounts through the same library.
      replace: 'writeConcern: appName === "chaos" ? { w: "majority" } : { w: 1, journal: false }',
    }],
    fault: "primary-mid-write",
    load: LONGER,
    reveals: "I1",
    follows: {
      I2: "keys are rolled back, so that a duplicate becomes a send of its own",
      I3: "registers and outcomes are rolled back, so that a mail goes again and nothing marks it",
      I4: "such a mail is another send's, or made of another edition of its template",
      I8: "keys are rolled back, so that a repeated request gets another send",
    },
  },
  {
    name: "M4",
    description: "no reconciler",
    patches: [{
      file: "services/tracker/reconcile.ts",
      find: "  while (!signal.aborted) {\n    let found = 0;",
      replace: "  while (false as boolean) {\n    let found = 0;",
    }],
    fault: "broker-wipe",
    load: LONGER,
    reveals: "I9",
    follows: {
      I6:
        "status events of a send are lost with the broker, and only the reconciler settles it then",
      I11: "and only the reconciler adds its events to the feed",
    },
  },
  {
    name: "M5",
    description: "a register that another worker has is taken for one's own",
    patches: [{
      file: "libs/storage/delivery_ledger.ts",
      find: '      if (isFree) return { type: "inserted" };\n',
      replace: '      if (isFree || !isFree) return { type: "inserted" };\n',
    }],
    fault: "zombie-mailer",
    load: LONGER,
    reveals: "I3",
  },
  {
    name: "M6",
    description: "what nobody can know is tried again, whatever the integration says",
    patches: [{
      file: "libs/delivery/unknown_outcome.ts",
      find: 'if (whenUnknown === "hold") ',
      replace: 'if ((whenUnknown as string) === "never") ',
    }],
    fault: "smtp-unknown-hold",
    load: LIGHT,
    reveals: "I3",
  },
  {
    name: "M7",
    description: "another Message-ID at each attempt",
    patches: [{
      file: "services/mailer/compose_message.ts",
      find: "messageId: `<${messageId}@",
      replace: "messageId: `<${messageId}.${message.attempt}@",
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I4",
  },
  {
    name: "M8",
    description: "one event of work in twenty is done and not acknowledged",
    patches: [{
      file: "libs/messaging/_carry_out.ts",
      find: "  message.ack();\n",
      replace:
        "  if (message.seq % 20 === 0) return void message.nak(600_000);\n  message.ack();\n",
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I6",
  },
  {
    name: "M10",
    description: "4xx is taken for 5xx and the other way round",
    patches: [{
      file: "services/mailer/smtp_verdict.ts",
      find: "const permanent = code >= 500;",
      replace: "const permanent = code < 500;",
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I1",
    follows: { I5: "the ledger quotes a refusal that was for now as one for good" },
  },
  {
    name: "M11",
    description: "one transaction for several recipients",
    patches: [{
      file: "libs/smtp/_transaction.ts",
      find: '      "rcpt",\n      ...copies,',
      replace: '      "rcpt",\n      "rcpt",\n      ...copies,',
    }, {
      file: "libs/smtp/_transaction.ts",
      find: "  #isMailTaken = false;",
      replace: "  #isMailTaken = false;\n  #named = 0;",
    }, {
      file: "libs/smtp/_transaction.ts",
      find: "`RCPT TO:<${to}>\\r\\n`",
      replace: "`RCPT TO:<${this.#named++ === 0 ? to : `other-${to}`}>\\r\\n`",
    }],
    fault: "calm",
    load: LIGHT,
    reveals: "I2",
  },
  {
    name: "M17",
    description: "events are never let go",
    patches: [{
      file: "libs/messaging/_carry_out.ts",
      find: "  message.ack();\n",
      replace: "",
    }],
    fault: "calm",
    load: LIGHT,
    reveals: "I6",
    follows: {
      I1: "what comes again eight times is given up as poison",
      I5: "what comes again eight times is given up as poison",
    },
  },
  {
    name: "M18",
    description: "the digest of stored objects does not matter",
    patches: [{
      file: "libs/messaging/object_store.ts",
      find: "  return isWhole ? bytes : undefined;\n",
      replace: "  return isWhole ? bytes : bytes;\n",
    }],
    fault: "objects",
    load: LONGER,
    reveals: "I4",
  },
  {
    name: "X2",
    description: "a mail that may have arrived is sent again, and the timeline does not say so",
    patches: [{
      file: "services/tracker/end_lost.ts",
      find: "attempt: n, detail: reason, ambiguous: true, ...used }",
      replace: "attempt: n, detail: reason, ...used }",
    }],
    fault: "kill-mailer",
    load: LONGER,
    reveals: "I3",
  },
  {
    name: "X3",
    description: "what a killed worker had taken is waited for without end",
    patches: [{
      file: "libs/storage/delivery_ledger.ts",
      find: 'isOver: { $lt: [until, "$$NOW"] }',
      replace: 'isOver: { $lt: ["$$NOW", new Date(0)] }',
    }],
    fault: "kill-mailer",
    load: LONGER,
    reveals: "I9",
  },
  {
    name: "X4",
    description: "a browser that hangs is waited for",
    patches: [{
      file: "services/pdf/browser.ts",
      find: '      if (watched.how !== "done") pool.lose(process, "timeout");\n',
      replace: "",
    }],
    fault: "chromium-hang",
    load: LONGER,
    reveals: "I6",
    follows: { I9: "what is to be printed waits behind the browser" },
  },
  {
    name: "X6",
    description: "a login that is refused is the mail's fault",
    patches: [{
      file: "services/mailer/smtp_verdict.ts",
      find: 'return ["login_refused", "The SMTP server refused the user name',
      replace: 'return ["fail", "The SMTP server refused the user name',
    }],
    fault: "smtp-login",
    load: LIGHT,
    reveals: "I5",
  },
  {
    name: "X7",
    description: "the mailer logs the login",
    patches: [{
      file: "services/mailer/send_message.ts",
      find: "  return deps.send({\n    integration: opened,\n",
      replace: "  deps.logger.warn(`Logs in with ${opened.auth?.password}`);\n" +
        "  return deps.send({\n    integration: opened,\n",
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I7",
  },
  {
    name: "X8",
    description: "a page of the browser is neither used again nor closed",
    patches: [{
      file: "services/pdf/browser_process.ts",
      find: "    page.clean();\n    this.#idle.give(page, owner);\n",
      replace: "    page.clean();\n",
    }],
    fault: "calm",
    load: LIGHT,
    reveals: "I6",
  },
  {
    name: "X9",
    description: "the login, as it is sent, goes into the ledger and the events",
    patches: [{
      file: "services/mailer/send_message.ts",
      find: "  return await endSent(work, { reply, smtp }, deps);\n",
      replace: "  const login = Buffer.from(`\\0user\\0${smtp.opened.auth?.password}`);\n" +
        '  const response = `${reply.response} ${login.toString("base64")}`;\n' +
        "  return await endSent(work, { reply: { ...reply, response }, smtp }, deps);\n",
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I7",
    follows: { I5: "what the ledger quotes of the server, the server has not said" },
  },
  {
    name: "X10",
    description: "a reconciler that looks at a send once in ten years",
    patches: [{
      file: "services/tracker/reconcile.ts",
      find: "+ lookAgainMs(0, options.graceMs));",
      replace: "+ 315_360_000_000);",
    }, {
      file: "services/tracker/reconcile.ts",
      find: "at: earliest([...looks, new Date(now.getTime() + ms)])",
      replace: "at: new Date(now.getTime() + ms + 315_360_000_000)",
    }],
    fault: "broker-wipe",
    load: { messages: 1500, minutes: 1.5 },
    reveals: "I9",
    follows: {
      I6:
        "status events of a send are lost with the broker, and only the reconciler settles it then",
      I11: "and only the reconciler adds its events to the feed",
    },
  },
  {
    name: "X11",
    description: "no retry is given to the broker",
    patches: [{
      file: "services/tracker/dispatch_due.ts",
      find: "    publish: (event) => deps.publish(event, head.trace),\n",
      replace: "    publish: () => Promise.resolve(),\n",
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I9",
  },
  {
    name: "X12",
    description: "a success that is known late does not count",
    patches: [{
      file: "libs/delivery/ending.ts",
      find: '  if (certainty === "accepted") return { phase: "late", n, outcome };\n',
      replace: '  if (certainty === "accepted") return { phase: "end", result: "superseded" };\n',
    }],
    fault: "late-success",
    load: LONGER,
    reveals: "I1",
  },
  {
    name: "X13",
    description: "nobody adds the events that a killed recorder lost",
    patches: [{
      file: "services/tracker/record_events.ts",
      find: "    const recorded = await recordedEvents([...byId.keys()]);\n",
      replace: "    const recorded = new Set([...byId.keys(), ...await recordedEvents([])]);\n",
    }],
    fault: "kill-webhooks",
    load: LONGER,
    reveals: "I11",
  },
  {
    name: "X14",
    description: "the position of an endpoint moves on before its server answers",
    patches: [{
      file: "services/webhooks/drain.ts",
      find: "    const posted = await post(webhook,",
      replace: "    const early = { position: end ?? position };\n" +
        "    await deps.webhooks.save({ ...webhook, position: saved }, deps.holder, early);\n" +
        "    saved = early.position;\n" +
        "    const posted = await post(webhook,",
    }],
    fault: "kill-webhooks",
    // After a kill nobody delivers for 10 s, the lease of the killed process.
    load: { messages: 1500, minutes: 1.5 },
    reveals: "I11",
  },
  {
    name: "X15",
    description: "after an unknown outcome the fallback sends the mail, too",
    patches: [{
      file: "libs/delivery/choose_integration.ts",
      find: "  if (unknownAttempts.length > 0) return own.id;\n",
      replace: "",
    }, {
      file: "libs/delivery/attempt_policy.ts",
      find: 'isFallback ? "hold" : whenUnknown',
      replace: '"retry"',
    }],
    fault: "fail-over",
    load: { messages: 800, minutes: 0.6 },
    reveals: "I3",
  },
  {
    name: "X16",
    description: "nobody claims the endpoints of a process that is lost",
    patches: [{
      file: "libs/storage/webhook_delivery_store.ts",
      find: '{ $lt: ["$lease.until", "$$NOW"] }',
      replace: '{ $lt: [{ $add: ["$lease.until", 3_600_000] }, "$$NOW"] }',
    }],
    fault: "zombie-webhooks",
    load: LONGER,
    reveals: "I11",
  },
  {
    name: "X17",
    description: "a reader of the feed continues behind events that it did not get",
    patches: [{
      file: "services/api/routes/events.ts",
      find: "data: events.map(showEvent)",
      replace: "data: events.slice(0, 10).map(showEvent)",
    }],
    fault: "calm",
    load: LIGHT,
    reveals: "I11",
  },
  {
    name: "X18",
    description: "the events of deferred attempts are not recorded",
    patches: [{
      file: "services/tracker/message_outcomes.ts",
      find: 'return [{ ...data, type: "message.deferred", at: new Date(data.at) }];',
      replace: "return [];",
    }, {
      file: "services/tracker/message_outcomes.ts",
      find: 'return sending.has(attempt) ? { type: "message.deferred", attempt } : undefined;',
      replace: "return undefined;",
    }],
    fault: "smtp-refusals",
    load: LIGHT,
    reveals: "I11",
  },
  {
    name: "X19",
    description: "a request waits for the ledger for 2.5 s",
    patches: [{
      file: "services/api/config.ts",
      find: '.prefault("1200ms")',
      replace: '.prefault("2500ms")',
    }],
    fault: "mongod-pause",
    load: LONGER,
    reveals: "I8",
  },
];

/** Names of mutations of the research that are not tried, with the reason. */
export const NOT_TRIED: Readonly<Record<string, string>> = {
  X1:
    "a worker that ends a mail after its time: a stop hits the moment between register and dot too rarely",
  X5:
    "a browser that hangs is the document's fault: a page may hang in two browsers by chance, which looks the same",
  M9:
    "what waits too long in a worker comes again and finds its register taken: no ledger can differ",
  M12: "an address with a comma is refused by the interface before a mailer sees it",
  M13: "the browser's network is the subject of the tests of the pdf service",
  M14: "certificates are the subject of tests/e2e/failure_test.ts",
};
