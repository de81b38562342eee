import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import {
  expiredCertificate,
  finiteFieldCiphers,
  openFaultySmtp,
  testCertificate,
} from "@posthaste/kit";
import { openScriptedServer } from "./_scripted_server.ts";
import type { SmtpServer } from "./opening.ts";
import { SmtpConnection, type SmtpConnectionOptions } from "./smtp_connection.ts";
import { SmtpError } from "./smtp_error.ts";

const raw = Buffer.from("Message-ID: <m1@example.com>\r\nSubject: x\r\n\r\n.dot\r\nend\r\n");
const mail = { from: "a@example.com", to: "b@example.net", raw };
const login = { user: "ann", password: "secret" };

function connectionTo(
  { port }: { port: number },
  server: Partial<SmtpServer> = {},
  options: Partial<SmtpConnectionOptions> = {},
): SmtpConnection {
  return new SmtpConnection(
    {
      ...{ host: "localhost", address: "127.0.0.1", port, tls: "none", login: null },
      ...{ ca: testCertificate.cert },
      ...server,
    },
    { ehloName: "client.example", ...options },
  );
}

async function opened(...[server, ...rest]: Parameters<typeof connectionTo>) {
  const connection = connectionTo(server, ...rest);
  await connection.open();
  return connection;
}

async function errorOf(work: Promise<unknown>): Promise<SmtpError> {
  const error = await work.then(() => assert.fail("it went well"), (error) => error);
  assert.ok(error instanceof SmtpError, String(error));
  return error;
}

test("send() sends MAIL, RCPT and DATA in one flight if PIPELINING is offered, and otherwise one by one", async () => {
  for (const [keywords, flights] of [[["PIPELINING"], 2], [["8BITMIME"], 4]] as const) {
    await using server = await openScriptedServer({ keywords, delayMs: 15 });
    const connection = await opened(server);
    const before = server.flights;
    const reply = await connection.send(mail);
    assert.equal(reply.text, "250 2.0.0 OK");
    assert.equal(server.flights - before, flights);
    const said = server.lines.filter((line) => !line.startsWith("body"));
    assert.deepEqual(said, [
      "EHLO client.example",
      "MAIL FROM:<a@example.com>",
      "RCPT TO:<b@example.net>",
      "DATA",
      ".",
    ]);
    assert.equal(server.mails[0], raw.toString().replace("\n.dot", "\n..dot"));
    assert.equal(connection.state, "idle");
    connection.close();
  }
});

const copies = ["c1@example.net", "c2@example.net"];

test("send() sends all addresses in one flight, and DATA after the replies to them", async () => {
  for (const [keywords, flights] of [[["PIPELINING"], 3], [["8BITMIME"], 6]] as const) {
    await using server = await openScriptedServer({ keywords, delayMs: 15 });
    const connection = await opened(server);
    const before = server.flights;
    await connection.send({ ...mail, copies });
    assert.equal(server.flights - before, flights);
    const said = server.lines.filter((line) => line.startsWith("RCPT"));
    assert.deepEqual(said, ["b@example.net", ...copies].map((to) => `RCPT TO:<${to}>`));
    assert.equal(server.mails.length, 1);
    connection.close();
  }
});

test("send() continues or stops after a refused copy, and accepts the next mail after RSET", async () => {
  for (const keywords of [["PIPELINING"], []]) {
    for (const goes of [true, false]) {
      const script = (line: string) =>
        line.includes("c1@")
          ? "450 4.2.1 later"
          : line.includes("c2@")
          ? "550 5.1.1 no"
          : undefined;
      await using server = await openScriptedServer({ keywords, script });
      const connection = await opened(server);
      const refused: string[] = [];
      const sending = connection.send({
        ...{ ...mail, copies },
        goesWithout: (copy, { code }) => refused.push(`${copy} ${code}`) > 0 && goes,
      });
      if (goes) assert.equal((await sending).code, 250);
      else {
        const { phase, reply, isOfCopy } = await errorOf(sending);
        assert.deepEqual([phase, reply?.code, isOfCopy], ["rcpt", 450, true]);
      }
      // Once one stops the mail, the callback is not called for the others.
      assert.deepEqual(
        refused,
        ["c1@example.net 450", "c2@example.net 550"].slice(0, goes ? 2 : 1),
      );
      await connection.send(mail);
      assert.equal(server.lines.includes("RSET"), !goes);
      assert.equal(server.lines.includes("DATA"), true);
      assert.equal(server.mails.length, goes ? 2 : 1);
      assert.equal(server.connections, 1);
      connection.close();
    }
  }
});

test("send() fails with the recipient's refusal, whatever the replies about copies", async () => {
  for (const keywords of [["PIPELINING"], []]) {
    const script = (line: string) =>
      line.startsWith("RCPT TO:<b@")
        ? "550 5.1.1 no"
        : line.includes("c1@")
        ? "450 later"
        : undefined;
    await using server = await openScriptedServer({ keywords, script });
    const connection = await opened(server);
    const error = await errorOf(connection.send({
      ...{ ...mail, copies },
      goesWithout: () => assert.fail("nobody is asked"),
    }));
    assert.deepEqual([error.reply?.code, error.isOfCopy], [550, false]);
    assert.equal(connection.state, "idle");
    await connection.send({ ...mail, to: "d@example.net" });
    assert.ok(server.lines.includes("RSET"));
    assert.equal(server.mails.length, 1);
    connection.close();
  }
});

test("send() puts the next mail into the flight of a final dot: one round trip per mail instead of two", async () => {
  const count = 20;
  const flightsOf = async (isAhead: boolean) => {
    await using server = await openScriptedServer({ delayMs: 10 });
    const left = Array.from({ length: count }, () => mail);
    const sent: Promise<unknown>[] = [];
    const take = () => {
      const next = left.pop();
      if (next !== undefined) sent.push(connection.send(next));
    };
    const connection: SmtpConnection = connectionTo(server, {}, {
      onDot: isAhead ? take : () => {},
    });
    await connection.open();
    const before = server.flights;
    for (let at = 0; at < count; at++) {
      if (!isAhead || at === 0) take();
      await sent[at];
    }
    assert.equal(server.mails.length, count);
    assert.equal(server.connections, 1);
    connection.close();
    return server.flights - before;
  };
  const alone = await flightsOf(false);
  const ahead = await flightsOf(true);
  assert.ok(
    alone / ahead >= 1.8,
    `${alone} round trips alone, ${ahead} with the next one in the flight`,
  );
});

test("send() closes without a dot when the server wants a content without a recipient", async () => {
  for (const [verb, phase] of [["MAIL", "mail"], ["RCPT", "rcpt"]] as const) {
    await using server = await openScriptedServer({
      script: (line) => line.startsWith(verb) ? "550 5.1.1 no" : undefined,
    });
    const connection = await opened(server);
    const error = await errorOf(connection.send(mail));
    assert.deepEqual([error.phase, error.fault, error.reply?.enhanced], [phase, "reply", "5.1.1"]);
    assert.equal(error.mayHaveSent, false);
    assert.equal(connection.isClosed, true);
    assert.deepEqual(server.mails, []);
    assert.equal(server.lines.at(-1), "DATA");
  }
});

test("send() reads all replies of a flight, and reports the refused command", async () => {
  const rounds: Record<string, string>[] = [
    { MAIL: "451 4.7.1 not now", RCPT: "503 5.5.1 no MAIL", DATA: "503 5.5.1 no RCPT" },
    { RCPT: "550 5.1.1 nobody", DATA: "554 5.5.1 no RCPT" },
  ];
  let round = -1;
  await using server = await openScriptedServer({
    script: (line) => {
      if (line.startsWith("MAIL")) round++;
      return rounds[round]?.[line.slice(0, 4)];
    },
  });
  const connection = await opened(server);
  const error = await errorOf(connection.send(mail));
  assert.deepEqual([error.phase, error.reply?.text], ["mail", "451 4.7.1 not now"]);
  assert.equal(connection.state, "idle");
  const again = await errorOf(connection.send(mail));
  assert.deepEqual([again.phase, again.reply?.text], ["rcpt", "550 5.1.1 nobody"]);
  assert.equal(connection.state, "idle");
  await connection.send(mail);
  // After a complete refusal, there is nothing to reset.
  assert.equal(server.lines.filter((line) => line === "RSET").length, 1);
  assert.equal(server.mails.length, 1);
});

test("send() ends when replies are mixed up or lost, and reports that pipelining is broken", async () => {
  const cases: [string, (line: string) => string | undefined, SmtpError["fault"]][] = [
    ["mixed", (line) => line.startsWith("MAIL") ? "354 go on" : undefined, "out_of_order"],
    ["early", (line) => line === "DATA" ? "250 OK" : undefined, "out_of_order"],
    ["one lost", (line) => line.startsWith("RCPT") ? "" : undefined, "out_of_order"],
    ["all lost", (line) => /^(RCPT|DATA)/.test(line) ? "" : undefined, "stalled"],
  ];
  for (const [name, script, fault] of cases) {
    await using server = await openScriptedServer({ script });
    const connection = await opened(server, {}, { timeouts: { commandMs: 50, dataMs: 50 } });
    const error = await errorOf(connection.send(mail));
    assert.equal(error.fault, fault, name);
    assert.equal(error.mayHaveSent, false, name);
    assert.equal(connection.broke, "flight", name);
    assert.equal(connection.isClosed, true, name);
    assert.deepEqual(server.mails, [], name);
  }
});

test("send() sends no dot when the hook before it rejects, and waits for the hook", async () => {
  await using server = await openScriptedServer();
  const connection = await opened(server);
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const sending = connection.send({
    ...mail,
    onData: () => seen.push(`data ${connection.state}`),
    beforeDot: () => {
      seen.push(`before ${connection.state}`);
      return gate.promise;
    },
    onDot: () => seen.push(`dot ${connection.state}`),
  });
  while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(server.mails, []);
  gate.resolve();
  await sending;
  assert.deepEqual(seen, ["data body", "before body", "dot dot"]);
  const beforeDot = () => Promise.reject(new Error("no register"));
  const error = await errorOf(connection.send({ ...mail, beforeDot }));
  assert.deepEqual([error.fault, error.phase, error.mayHaveSent], ["held", "body", false]);
  assert.match(String(error.cause), /no register/);
  assert.equal(connection.isClosed, true);
  assert.equal(server.mails.length, 1);
});

test("send() reports that the mail may have been sent only once its dot was sent", async () => {
  const cases: [string, string, SmtpError["phase"], boolean][] = [
    ["RCPT", "421 4.3.2 bye", "rcpt", false],
    ["DATA", "421 4.3.2 bye", "data", false],
    [".", "421 4.3.2 bye", "dot", false],
    [".", "354 what", "dot", true],
    [".", "what", "dot", true],
    [".", "", "dot", true],
  ];
  for (const [at, said, phase, mayHaveSent] of cases) {
    await using server = await openScriptedServer({
      script: (line) => line.split(" ")[0] === at ? said : undefined,
    });
    const connection = await opened(server, {}, { timeouts: { replyMs: 50 } });
    const error = await errorOf(connection.send(mail));
    assert.deepEqual([error.phase, error.mayHaveSent], [phase, mayHaveSent], `${at} ${said}`);
    assert.equal(connection.isClosed, true);
  }
});

test("send() does not lose the mail before a mail that waits too long behind its dot", async () => {
  const reply = Promise.withResolvers<void>();
  await using faulty = await openFaultySmtp({
    plan: ({ stage, before }) =>
      stage === "dot" && before === 0 ? { do: "delay", ms: 200 } : undefined,
  });
  const next: Promise<unknown>[] = [];
  const connection: SmtpConnection = connectionTo(faulty, {}, {
    aheadMs: 20,
    onDot: () => {
      next.push(errorOf(connection.send(mail)));
      reply.resolve();
    },
  });
  await connection.open();
  const sending = connection.send(mail);
  await reply.promise;
  const error = await next[0] as SmtpError;
  assert.deepEqual([error.fault, error.phase], ["lost", "mail"]);
  assert.equal((await sending).code, 250);
  assert.equal(connection.isClosed, true);
  assert.equal(faulty.messages.length, 1);
});

test("send() reports broken pipelining if a server ends with a mail behind a dot", async () => {
  const ended = Promise.withResolvers<void>();
  await using faulty = await openFaultySmtp({
    plan: ({ stage }) => stage === "dot" ? { do: "close" } : undefined,
  });
  for (const isFollowed of [false, true]) {
    const connection: SmtpConnection = connectionTo(faulty, {}, {
      onDot: () => {
        if (isFollowed) errorOf(connection.send(mail)).then(() => ended.resolve());
      },
    });
    await connection.open();
    const error = await errorOf(connection.send(mail));
    assert.equal(error.mayHaveSent, true);
    if (isFollowed) await ended.promise;
    assert.equal(connection.broke, isFollowed ? "behind_dot" : undefined);
  }
});

test("send() fails the mail behind a dot that is answered with 421, as not taken", async () => {
  await using server = await openScriptedServer({
    script: (line) => line === "." ? "421 4.3.2 bye" : undefined,
  });
  const next: Promise<SmtpError>[] = [];
  const connection: SmtpConnection = connectionTo(server, {}, {
    onDot: () => next.push(errorOf(connection.send(mail))),
  });
  await connection.open();
  const error = await errorOf(connection.send(mail));
  assert.deepEqual([error.phase, error.reply?.code], ["dot", 421]);
  const [behind] = await Promise.all(next);
  assert.deepEqual([behind?.phase, behind?.fault, behind?.mayHaveSent], ["mail", "lost", false]);
});

test("send() declares a mail's size, and refuses one that is too large before any command", async () => {
  await using server = await openScriptedServer({ keywords: ["SIZE 60", "8BITMIME"] });
  const connection = await opened(server);
  await connection.send(mail);
  assert.ok(server.lines.includes(`MAIL FROM:<a@example.com> SIZE=${raw.length}`));
  const said = server.lines.length;
  const large = Buffer.concat([raw, raw]);
  const error = await errorOf(connection.send({ ...mail, raw: large }));
  assert.deepEqual(error.sizes, { mail: large.length, allowed: 60 });
  assert.equal(server.lines.length, said);
  assert.equal(connection.state, "idle");
});

test("send() requests 8BITMIME and SMTPUTF8 only if they are needed and offered", async () => {
  await using server = await openScriptedServer();
  const connection = await opened(server);
  await connection.send({ ...mail, to: "jörg@example.net", needsSmtpUtf8: true });
  await connection.send({ ...mail, raw: Buffer.from("Subject: x\r\n\r\nGrüße\r\n") });
  const [first, second] = server.lines.filter((line) => line.startsWith("MAIL"));
  assert.match(first ?? "", / SMTPUTF8$/);
  assert.doesNotMatch(first ?? "", /8BITMIME/);
  assert.match(second ?? "", / BODY=8BITMIME$/);
  await using old = await openScriptedServer({ keywords: [] });
  const other = await opened(old);
  const error = await errorOf(other.send({ ...mail, needsSmtpUtf8: true }));
  assert.equal(error.fault, "no_smtputf8");
  assert.equal(other.state, "idle");
});

test("send() refuses an address that could end its command", async () => {
  await using other = await openScriptedServer();
  const own = await opened(other);
  const evil = { ...mail, copies: ["c@example.net>\r\nDATA"] };
  await assert.rejects(own.send(evil), RangeError);
  own.close();
  await using server = await openScriptedServer();
  const connection = await opened(server);
  for (const to of ["a@b>\r\nRCPT TO:<c@d", "a@b\n", "a@b\0", "<a@b"]) {
    await assert.rejects(connection.send({ ...mail, to }), RangeError);
  }
  assert.equal(server.lines.length, 1);
});

test("open() sends HELO to a server that does not support EHLO", async () => {
  await using server = await openScriptedServer({
    script: (line) => line.startsWith("EHLO") ? "502 5.5.2 what?" : undefined,
  });
  const connection = await opened(server);
  await connection.send(mail);
  assert.equal(server.mails.length, 1);
});

const encoded = (text: string) => Buffer.from(text).toString("base64");

test("open() logs in by each mechanism, and prefers PLAIN", async () => {
  // The example of RFC 2195, section 2.
  const tim = { user: "tim", password: "tanstaaftanstaaf" };
  const digest = "b913a602c7eda7a495b4e6e7334d3890";
  const cases = [
    [undefined, ["LOGIN", "PLAIN"], [`AUTH PLAIN ${encoded("\0ann\0secret")}`]],
    ["LOGIN", ["LOGIN"], ["AUTH LOGIN", encoded("ann"), encoded("secret")]],
    [undefined, ["CRAM-MD5"], ["AUTH CRAM-MD5", encoded(`tim ${digest}`)]],
    ["XOAUTH2", ["XOAUTH2"], [
      `AUTH XOAUTH2 ${encoded("user=ann\x01auth=Bearer secret\x01\x01")}`,
    ]],
    ["OAUTHBEARER", ["OAUTHBEARER"], [
      `AUTH OAUTHBEARER ${encoded("n,a=ann,\x01auth=Bearer secret\x01\x01")}`,
    ]],
  ] as const;
  for (const [method, offered, expected] of cases) {
    const said: string[] = [];
    await using server = await openScriptedServer({
      keywords: [`AUTH ${offered.join(" ")}`],
      script: (line) => {
        if (line === "" || line.startsWith("EHLO")) return undefined;
        said.push(line);
        const challenge = `334 ${encoded("<1896.697170952@postoffice.reston.mci.net>")}`;
        return said.length < expected.length ? challenge : "235 2.7.0 welcome";
      },
    });
    const who = offered[0] === "CRAM-MD5" ? tim : login;
    const connection = await opened(server, { login: { ...who, method } });
    assert.deepEqual(said, expected);
    assert.equal(connection.opening.loggedIn?.code, 235);
  }
});

test("open() reports why a login failed, without the password", async () => {
  await using server = await openScriptedServer({
    keywords: ["AUTH PLAIN"],
    script: (line) => line.startsWith("AUTH") ? `535 5.7.8 ${line} secret` : undefined,
  });
  const error = await errorOf(opened(server, { login }));
  assert.deepEqual([error.phase, error.reply?.code], ["auth", 535]);
  assert.doesNotMatch(JSON.stringify(error) + error.message + error.stack, /secret|AGFubgBz/);
  await using none = await openScriptedServer();
  assert.equal((await errorOf(opened(none, { login }))).fault, "no_auth");
});

test("open() answers the challenge that explains a refused token, and reports the refusal", async () => {
  const cases = [["XOAUTH2", ""], ["OAUTHBEARER", "AQ=="]] as const;
  for (const [method, dismissal] of cases) {
    const answers: string[] = [];
    await using server = await openScriptedServer({
      keywords: [`AUTH ${method}`],
      script: (line, nth) => {
        if (nth === -1 || line.startsWith("EHLO")) return undefined;
        if (line.startsWith("AUTH")) return `334 ${encoded('{"status":"401"}')}`;
        answers.push(line);
        return "535 5.7.3 Authentication unsuccessful";
      },
    });
    const error = await errorOf(opened(server, { login: { ...login, method } }));
    assert.deepEqual(answers, [dismissal]);
    assert.deepEqual([error.phase, error.fault, error.reply?.code], ["auth", "reply", 535]);
    assert.equal(error.tokenStatus, "401");
  }
});

test("open() reports the status of a refused token only if it is a plain word", async () => {
  const cases = [
    ['{"status":"insufficient_scope"}', "insufficient_scope"],
    ['{"status":"<b>"}', "unknown"],
    ['{"status":{}}', "unknown"],
    ["null", "unknown"],
    ["not JSON", "unknown"],
  ] as const;
  for (const [challenge, expected] of cases) {
    await using server = await openScriptedServer({
      keywords: ["AUTH XOAUTH2"],
      script: (line, nth) => {
        if (nth === -1 || line.startsWith("EHLO")) return undefined;
        return line.startsWith("AUTH") ? `334 ${encoded(challenge)}` : "535 5.7.8 no";
      },
    });
    const error = await errorOf(opened(server, { login: { ...login, isToken: true } }));
    assert.equal(error.tokenStatus, expected);
  }
});

test("open() sends a token by XOAUTH2 or OAUTHBEARER, and never as a password", async () => {
  const cases = [
    ["PLAIN LOGIN XOAUTH2 OAUTHBEARER", "AUTH XOAUTH2 "],
    ["OAUTHBEARER PLAIN", "AUTH OAUTHBEARER "],
    ["PLAIN LOGIN CRAM-MD5", undefined],
  ] as const;
  for (const [offered, expected] of cases) {
    await using server = await openScriptedServer({
      keywords: [`AUTH ${offered}`],
      script: (line) => line.startsWith("AUTH") ? "235 2.7.0 welcome" : undefined,
    });
    const opening = opened(server, { login: { ...login, isToken: true } });
    if (expected === undefined) assert.equal((await errorOf(opening)).fault, "no_auth");
    else await opening;
    const said = server.lines.filter((line) => line.startsWith("AUTH"));
    assert.deepEqual(said.map((line) => line.startsWith(expected ?? " ")), expected ? [true] : []);
  }
});

test("open() sends no token with a user that could add fields, and escapes its GS2 name", async () => {
  await using server = await openScriptedServer({ keywords: ["AUTH OAUTHBEARER XOAUTH2"] });
  for (const method of ["XOAUTH2", "OAUTHBEARER"] as const) {
    const user = "ann\x01auth=Bearer other";
    const error = await errorOf(opened(server, { login: { ...login, user, method } }));
    assert.deepEqual([error.phase, error.fault], ["auth", "no_auth"]);
  }
  assert.ok(!server.lines.some((line) => line.startsWith("AUTH")));
  await opened(server, { login: { ...login, user: "a=n,n", method: "OAUTHBEARER" } });
  const expected = encoded("n,a=a=3Dn=2Cn,\x01auth=Bearer secret\x01\x01");
  assert.equal(server.lines.at(-1), `AUTH OAUTHBEARER ${expected}`);
});

test("open() drops bytes in the clear after the consent to STARTTLS, and sends EHLO again", async () => {
  await using faulty = await openFaultySmtp({
    ...{ tls: "starttls", users: { ann: "secret" } },
    plan: ({ stage }) =>
      stage === "starttls"
        ? { do: "inject", text: "250-evil\r\n250 SIZE 1\r\n235 2.7.0 welcome\r\n" }
        : undefined,
  });
  const connection = await opened(faulty, { tls: "starttls", login });
  const { offer, encryption, loggedIn } = connection.opening;
  assert.equal(encryption?.protocol, "TLSv1.3");
  assert.equal(offer.maxBytes, undefined);
  assert.match(loggedIn?.text ?? "", /^235 2\.7\.0 (?!welcome)/);
  await connection.send(mail);
  assert.equal(faulty.messages.length, 1);
});

test("open() fails when the server ends the connection with its consent to STARTTLS", async () => {
  for (const action of ["reply_then_close", "reply_then_reset", "garbage"] as const) {
    await using faulty = await openFaultySmtp({
      tls: "starttls",
      plan: ({ stage }) =>
        stage === (action === "garbage" ? "tls" : "starttls") ? { do: action } : undefined,
    });
    const error = await errorOf(opened(faulty, { tls: "starttls" }));
    assert.equal(error.phase, "tls", action);
    assert.ok(["lost", "tls"].includes(error.fault), action);
  }
});

test("open() sends nothing in the clear when the offer of STARTTLS is missing", async () => {
  await using server = await openScriptedServer({ keywords: ["AUTH PLAIN"] });
  const error = await errorOf(opened(server, { tls: "starttls", login }));
  assert.deepEqual([error.phase, error.fault, error.tls?.kind], ["tls", "tls", "not_offered"]);
  assert.equal(server.lines.length, 1);
});

test("open() reports the fault of a certificate, and returns it", async () => {
  for (const tls of ["starttls", "implicit"] as const) {
    await using faulty = await openFaultySmtp({ tls });
    const wrongName = await errorOf(opened(faulty, { tls, host: "mail.example.com" }));
    const unknown = await errorOf(opened(faulty, { tls, ca: undefined }));
    assert.deepEqual([wrongName.fault, wrongName.phase], ["certificate", "tls"]);
    assert.deepEqual([wrongName.tls?.kind, unknown.tls?.kind], ["name", "authority"]);
    for (const { tls } of [wrongName, unknown]) {
      assert.match(tls?.certificate?.subjectAltName ?? "", /localhost/);
    }
    await using old = await openFaultySmtp({ tls, certificate: expiredCertificate });
    const expired = await errorOf(opened(old, { tls, ca: expiredCertificate.cert }));
    assert.deepEqual([expired.fault, expired.tls?.kind], ["certificate", "expired"]);
    assert.match(expired.tls?.certificate?.validTo ?? "", /2025/);
  }
});

test("open() reports the alert with which a server refused the encryption", async () => {
  await using faulty = await openFaultySmtp({ tls: "implicit", maxTls: "TLSv1.1" });
  const { phase, fault, tls } = await errorOf(opened(faulty, { tls: "implicit" }));
  assert.deepEqual([phase, fault, tls], [
    "tls",
    "tls",
    { kind: "protocol", alert: "protocol version" },
  ]);
  await using plain = await openScriptedServer();
  const error = await errorOf(opened(plain, { tls: "implicit" }));
  assert.deepEqual([error.phase, error.tls?.kind], ["tls", "not_tls"]);
});

test("open() offers no key exchange whose size the server chooses", async () => {
  const offered = await finiteFieldCiphers((port) =>
    connectionTo({ port }, { tls: "implicit" }).open()
  );
  assert.deepEqual(offered, []);
});

test("open() limits each wait by its own timeout", async () => {
  const silent = (verb: string) => (line: string) =>
    line.startsWith(verb) && (verb !== "" || line === "") ? "" : undefined;
  const cases: [string, keyof typeof short, SmtpError["phase"], SmtpError["fault"]][] = [
    ["", "greetingMs", "greeting", "timeout"],
    ["EHLO", "commandMs", "ehlo", "stalled"],
    ["MAIL", "commandMs", "mail", "stalled"],
    ["DATA", "dataMs", "data", "stalled"],
    [".", "replyMs", "dot", "stalled"],
  ];
  const short = { greetingMs: 30, commandMs: 30, dataMs: 30, replyMs: 30, bodyMs: 30 };
  for (const [verb, name, phase, fault] of cases) {
    await using server = await openScriptedServer({ script: silent(verb) });
    const timeouts = { [name]: short[name] };
    const connection = connectionTo(server, {}, { timeouts, pipelining: false });
    const error = await errorOf(connection.open().then(() => connection.send(mail)));
    assert.deepEqual([error.phase, error.fault], [phase, fault], verb);
  }
  // A server that accepts connections, and never answers a handshake, though some have the end of a line in them.
  await using silentServer = await openScriptedServer({ script: () => "" });
  const timeouts = { connectMs: 30 };
  const late = await errorOf(opened(silentServer, { tls: "implicit" }, { timeouts }));
  assert.deepEqual([late.phase, late.fault], ["connect", "timeout"]);
  await using server = await openScriptedServer();
  const connection = await opened(server, {}, { timeouts: { bodyMs: 30 } });
  const beforeDot = () => new Promise<void>(() => {});
  const error = await errorOf(connection.send({ ...mail, beforeDot }));
  assert.deepEqual([error.phase, error.fault, error.mayHaveSent], ["body", "stalled", false]);
});

test("open() reports a closed port", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  const connection = connectionTo({ port });
  const error = await errorOf(connection.open());
  assert.deepEqual([error.phase, error.fault], ["connect", "refused"]);
  assert.equal(connection.state, "closed");
});

test("quit() sends QUIT and closes, and a server that ends an idle connection closes it", async () => {
  await using server = await openScriptedServer();
  const closed = Promise.withResolvers<void>();
  const connection = await opened(server, {}, { onClosed: closed.resolve });
  assert.equal(connection.state, "idle");
  connection.quit();
  assert.equal(connection.state, "quit");
  await closed.promise;
  assert.equal(server.lines.at(-1), "QUIT");
  await using faulty = await openFaultySmtp();
  const ended = Promise.withResolvers<void>();
  await opened(faulty, {}, { onClosed: ended.resolve });
  faulty.dropConnections();
  await ended.promise;
});
