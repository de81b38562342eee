import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { errorBodySchema, TOKEN_SCOPES } from "@posthaste/contracts";
import { type LedgerApp, openLedgerApp } from "./_test_ledger_app.ts";

let api: LedgerApp;
/** Ids of the sends, oldest first. */
const sends: string[] = [];

before(async () => {
  api = await openLedgerApp();
  const bodies = [
    { to: [{ email: "a@one.example" }, { email: "b@one.example" }] },
    {
      ...{ reference: "order-1", tags: ["vip", "eu"], metadata: { shop: "x", n: "1" } },
      to: [
        { email: "a@two.example" },
        { email: "b@two.example", reference: "own", tags: [], metadata: { n: "2" } },
      ],
    },
    { to: [{ email: "a@one.example", tags: ["vip"] }] },
  ];
  for (const body of bodies) sends.push((await api.send(body)).id);
  await api.end(sends[0] ?? "", 0, "sent");
  await api.end(sends[0] ?? "", 1, "failed");
});
after(() => api?.[Symbol.asyncDispose]());

async function found(query: string): Promise<string[]> {
  const { status, body } = await api.ask(`/v1/messages?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ email }: { email: string }) => email);
}

test("messageListRoute() finds messages by each filter, newest first", async () => {
  const all = ["a@one.example", "b@two.example", "a@two.example", "b@one.example", "a@one.example"];
  assert.deepEqual(await found(""), all);
  assert.deepEqual(await found("state=sent,failed"), ["b@one.example", "a@one.example"]);
  assert.deepEqual(await found("state=rendered,printed"), [], "they were allowed as states");
  assert.deepEqual(await found("state=failed&text=no%20such%20user"), ["b@one.example"]);
  assert.deepEqual(await found("state=failed&code=550&enhanced=5.1.1"), ["b@one.example"]);
  assert.deepEqual(await found("state=failed&code=451"), []);
  assert.deepEqual(await found("state=failed&reason=Refused"), ["b@one.example"]);
  assert.deepEqual(await found("email=a@two.example"), ["a@two.example"]);
  assert.deepEqual(await found("email=a@*"), ["a@one.example", "a@two.example", "a@one.example"]);
  assert.deepEqual(await found(`sendId=${sends[1]}`), ["b@two.example", "a@two.example"]);
  assert.deepEqual(await found("templateId=2"), []);
  assert.deepEqual((await found("integrationId=1")).length, 5);
  assert.deepEqual(await found("until=2020-01-01T00:00:00Z"), []);
  assert.deepEqual((await found("from=2020-01-01T00:00:00%2B01:00")).length, 5);
});

test("messageListRoute() finds a message by its own marks, and not by those of another recipient", async () => {
  assert.deepEqual(await found("reference=order-1"), ["a@two.example"]);
  assert.deepEqual(await found("reference=own"), ["b@two.example"]);
  assert.deepEqual(await found("tag=vip"), ["a@one.example", "a@two.example"]);
  assert.deepEqual(await found("tag=vip&email=a@two.example"), ["a@two.example"]);
  assert.deepEqual(await found("tag=none"), []);
});

test("messageListRoute() shows each message as messageRoute() does, without its timeline", async () => {
  for (const query of ["state=failed", "reference=own", ""]) {
    const { body } = await api.ask(`/v1/messages?${query}`);
    for (const listed of body.data) {
      const { body: { timeline, variant, ...shown } } = await api.ask(`/v1/messages/${listed.id}`);
      assert.ok(Array.isArray(timeline) && variant === null);
      assert.deepEqual(listed, shown);
    }
  }
});

test("lists continue at their cursor while states change, and show nothing twice", async () => {
  const seen: string[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null; pages++) {
    assert.ok(pages < 9, "it has an end");
    const path: string = `/v1/messages?limit=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await api.ask(path);
    assert.ok(body.data.length <= 2);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    if (pages === 0) await api.end(sends[1] ?? "", 0, "sent");
    cursor = body.next;
  }
  assert.equal(seen.length, 5);
  assert.equal(new Set(seen).size, 5);
});

test("a cursor belongs to its list and filters, or is refused as invalid_cursor", async () => {
  const { body } = await api.ask("/v1/messages?limit=1&email=a@*");
  assert.ok(body.next);
  const same = await api.ask(`/v1/messages?email=a@*&limit=2&cursor=${body.next}`);
  assert.equal(same.body.data.length, 2);
  for (
    const path of [
      `/v1/messages?cursor=${body.next}`,
      `/v1/messages?email=b@*&cursor=${body.next}`,
      `/v1/sends?cursor=${body.next}`,
      "/v1/messages?cursor=x",
      "/v1/sends?cursor=",
    ]
  ) {
    const answer = await api.ask(path);
    assert.equal(answer.status, 400, path);
    assert.equal(errorBodySchema.parse(answer.body).code, "invalid_cursor", path);
  }
});

test("lists refuse parameters that they do not know or cannot read, by name", async () => {
  const cases = {
    "messages?stat=failed": "stat",
    "messages?state=lost": "state",
    "messages?limit=101": "limit",
    "messages?limit=0": "limit",
    "messages?templateId=x": "templateId",
    "messages?from=yesterday": "from",
    "messages?state=sent&state=failed": "state",
    "sends?settled=maybe": "settled",
    "sends?email=a@one.example": "email",
  };
  for (const [path, name] of Object.entries(cases)) {
    const { status, body } = await api.ask(`/v1/${path}`);
    assert.equal(status, 400, path);
    assert.equal(errorBodySchema.parse(body).issues?.[0]?.path, name, path);
  }
});

test("sendListRoute() finds sends by each filter, newest first, with their marks", async () => {
  const ids = async (query: string) => {
    const { status, body } = await api.ask(`/v1/sends?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await ids(""), sends.toReversed());
  assert.deepEqual(await ids("reference=own"), [sends[1]]);
  assert.deepEqual(await ids("reference=order-1&tag=eu"), [sends[1]]);
  assert.deepEqual(await ids("tag=vip"), [sends[2], sends[1]]);
  assert.deepEqual(await ids("templateId=2"), []);
  assert.deepEqual(await ids("integrationId=1&settled=false"), sends.toReversed());
  assert.deepEqual(await ids("settled=true"), []);
  const { body } = await api.ask("/v1/sends?reference=order-1");
  const { acceptedAt, ...send } = body.data[0];
  assert.ok(Date.parse(acceptedAt));
  assert.deepEqual(send, {
    ...{ id: sends[1], template: { id: 1, version: 1 }, integrationId: 1, messageCount: 2 },
    ...{ batchId: null, settled: false, settledAt: null },
    ...{ reference: "order-1", tags: ["vip", "eu"], metadata: { shop: "x", n: "1" } },
  });
  const first = await api.ask("/v1/sends?limit=2");
  const second = await api.ask(`/v1/sends?limit=2&cursor=${first.body.next}`);
  assert.deepEqual(second.body.data.map(({ id }: { id: string }) => id), [sends[0]]);
  assert.equal(second.body.next, null);
});

test("listing requires the scope list, and shows the token's own account only", async () => {
  const others = TOKEN_SCOPES.filter((scope) => scope !== "list");
  for (const path of ["/v1/messages", "/v1/sends"]) {
    for (const scopes of [["read"], others] as const) {
      const { status, body } = await api.ask(path, { scopes });
      assert.equal(status, 403, `${path} with ${scopes}`);
      assert.equal(errorBodySchema.parse(body).code, "missing_scope");
    }
    assert.equal((await api.ask(path, { scopes: ["list"] })).status, 200);
    const other = await api.ask(`${path}?tag=vip`, { isOther: true });
    assert.deepEqual(other.body, { data: [], next: null });
  }
  const foreign = await api.ask(`/v1/messages?sendId=${sends[0]}`, { isOther: true });
  assert.deepEqual(foreign.body.data, []);
});

test("messageListRoute() shows whose mail has PDFs", async () => {
  const { id } = await api.send({
    to: [{ email: "a@pdf.example", attachments: [{ id: 1 }] }, { email: "b@pdf.example" }],
    attachments: [{ content: "YQ==", filename: "a.txt", contentType: "text/plain" }],
  });
  const { body } = await api.ask(`/v1/messages?sendId=${id}`);
  assert.deepEqual(body.data.map(({ hasPdfs }: { hasPdfs: boolean }) => hasPdfs), [false, true]);
});

test("each send has a key of its own for its subjects, which no answer shows", async () => {
  const keys = await Promise.all(sends.map(async (id) => {
    const key = (await api.store.sends.find(api.accountId, id))?.subjectKey;
    for (const path of ["messages", `sends/${id}`, "sends"]) {
      assert.ok(!JSON.stringify((await api.ask(`/v1/${path}`)).body).includes(key ?? ""), path);
    }
    return key;
  }));
  assert.equal(new Set(keys).size, sends.length);
  for (const key of keys) assert.equal(Buffer.from(key ?? "", "base64").length, 16);
});

test("lists continue at their cursor while others add to them: they show all that was there, and nothing twice", async () => {
  await using own = await openLedgerApp();
  const { accountId, store, ask } = own;
  const publish = (n: number) =>
    store.templates.publish({
      ...{ accountId, kind: "email", name: `T${n}`, variables: [], sourceHash: "x" },
      ...{ source: { subject: "x", html: "x" }, parts: { subject: "x", html: "x", text: "x" } },
    });
  const add = async (n: number) => {
    const addresses = ["a", "m", "z"].map((name) => ({ email: `${name}${n}@add.example` }));
    const suppressed = { suppressions: addresses };
    const batch = { templateId: 1, integrationId: 1, from: { email: "shop@example.com" } };
    await Promise.all([
      own.send({ to: addresses }),
      ask("/v1/suppressions", { method: "POST", body: suppressed }),
      ask("/v1/batches", { method: "POST", body: batch }),
      publish(n),
      store.integrations.create({
        ...{ accountId, name: `I${n}`, host: "smtp.example.com", port: 25, tls: "none" },
        ...{ auth: null, senders: ["shop@example.com"] },
      }),
    ]);
  };
  for (let n = 0; n < 5; n++) await add(n);
  const keysOf = async (path: string): Promise<[string[], string | null]> => {
    const { status, body } = await ask(`/v1/${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return [
      body.data.map((each: Record<string, unknown>) => each["id"] ?? each["email"]),
      body.next,
    ];
  };
  let added = 5;
  for (
    const list of ["messages", "sends", "batches", "suppressions", "templates", "integrations"]
  ) {
    const [there] = await keysOf(`${list}?limit=100`);
    assert.ok(there.length >= 5);
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null; pages++) {
      assert.ok(pages < 100, `${list} has an end`);
      const [keys, next]: [string[], string | null] = await keysOf(
        `${list}?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...keys);
      if (pages < 3) await add(added++);
      cursor = next;
    }
    assert.equal(new Set(seen).size, seen.length, `${list} shows nothing twice`);
    assert.deepEqual(there.filter((key) => !seen.includes(key)), [], `${list} misses nothing`);
  }
});
