import assert from "node:assert/strict";
import { test } from "node:test";
import {
  errorBodySchema,
  integrationSummarySchema,
  listSchema,
  serviceSummarySchema,
  templateSummarySchema,
} from "@posthaste/contracts";
import { openTestApp, publishedTemplate, TOKENS } from "./_test_app.ts";
import manifest from "./package.json" with { type: "json" };

const as = (token: keyof typeof TOKENS) => ({ authorization: `Bearer ${token}` });

test("serviceRoute() reports the scopes and limits of any token", async () => {
  await using api = openTestApp({}, {
    sendLimits: { maxRecipients: 7, maxAttachments: 2 },
    bodyLimit: 12_345,
  });
  for (const token of ["ph_render", "ph_send", "ph_read"] as const) {
    const { status, body } = await api.get("/v1", as(token));
    assert.equal(status, 200);
    assert.deepEqual(serviceSummarySchema.parse(body), {
      service: "posthaste",
      version: manifest.version,
      account: { id: "acc_1", name: "Shop" },
      token: { name: token, scopes: TOKENS[token].scopes, expiresAt: null },
      limits: { recipients: 7, attachments: 2, bodyBytes: 12_345 },
      links: { openapi: "/v1/openapi.json" },
    });
  }
  assert.equal((await api.get("/v1", { authorization: "" })).status, 401);
});

test("serviceRoute() reports the address of management by token, if the operator has set it", async () => {
  const manageUrl = "https://mail.example.com/manage/v1";
  await using api = openTestApp({}, { manageUrl });
  const { body } = await api.get("/v1", as("ph_read"));
  const { links } = serviceSummarySchema.parse(body);
  assert.deepEqual(links, { openapi: "/v1/openapi.json", manage: manageUrl });
});

test("templatesRoute() lists and shows what is published, by kind", async () => {
  await using api = openTestApp();
  for (const [path, id, alias] of [["templates", 5, "welcome"], ["pdf-templates", 7, "invoice"]]) {
    const list = await api.get(`/v1/${path}`);
    const { data: [head], next } = listSchema(templateSummarySchema).parse(list.body);
    assert.deepEqual([head?.id, head?.alias, next], [id, alias, null]);
    for (const key of [id, alias]) {
      assert.deepEqual((await api.get(`/v1/${path}/${key}`)).body, head);
    }
    for (const key of ["6", "other", "-1", "%24ne"]) {
      const { status, body } = await api.get(`/v1/${path}/${key}`);
      const code = path === "templates" ? "unknown_template" : "unknown_pdf_template";
      assert.deepEqual([status, errorBodySchema.parse(body).code], [404, code]);
    }
    assert.equal((await api.get(`/v1/${path}`, as("ph_send"))).body.code, "missing_scope");
  }
  const { body } = await api.get("/v1/templates/5");
  assert.deepEqual(body.variables, [
    { name: "name", required: true, default: null, description: null },
  ]);
});

test("templatesRoute() continues at the cursor, and lists each template once", async () => {
  const all = [1, 2, 3, 4, 5].map((id) => ({ ...publishedTemplate("email"), id }));
  await using api = openTestApp({
    templates: {
      listPublished: (_accountId, _kind, { after = 0, limit }) =>
        Promise.resolve(all.filter(({ id }) => id > after).slice(0, limit)),
    },
  });
  const seen: number[][] = [];
  for (let next: string | null = ""; next !== null;) {
    const cursor: string = next && `&cursor=${next}`;
    const { body } = await api.get(`/v1/templates?limit=2${cursor}`);
    seen.push(body.data.map(({ id }: { id: number }) => id));
    next = body.next;
  }
  assert.deepEqual(seen, [[1, 2], [3, 4], [5]]);
  const { body: { next } } = await api.get("/v1/templates?limit=2");
  const elsewhere = await api.get(`/v1/pdf-templates?cursor=${next}`);
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [400, "invalid_cursor"]);
  const wrong = await api.get("/v1/templates?limit=0&status=x");
  assert.deepEqual([wrong.status, wrong.body.code], [400, "invalid_request"]);
});

test("discovery shows a limited token only its own templates and integrations", async () => {
  const asked: unknown[] = [];
  await using api = openTestApp({
    tokens: { find: () => Promise.resolve(limited) },
    templates: {
      listPublished: (_accountId, kind, { only }) => {
        asked.push([kind, only]);
        return Promise.resolve([]);
      },
    },
    integrations: {
      listSummaries: (_accountId, { only }) => {
        asked.push(["integration", only]);
        return Promise.resolve([]);
      },
    },
  });
  for (const path of ["templates", "pdf-templates", "integrations"]) {
    assert.equal((await api.get(`/v1/${path}`)).status, 200);
  }
  assert.deepEqual(asked, [["email", [1]], ["pdf", undefined], ["integration", [2]]]);
  for (const path of ["templates/5", "integrations/3"]) {
    assert.equal((await api.get(`/v1/${path}`)).body.code, "missing_scope", path);
  }
  assert.equal((await api.get("/v1/pdf-templates/7")).status, 200);
});

const limited = {
  ...{ _id: "h", accountId: "acc_1", name: "t", prefix: "ph_", scopes: ["read" as const] },
  ...{ createdAt: new Date(0), expiresAt: null, revokedAt: null, lastUsedAt: null },
  ...{ createdBy: null, addresses: [], templates: [1], integrations: [2] },
};

test("integrationsRoute() shows the state of integrations, and neither host nor user", async () => {
  await using api = openTestApp();
  const list = await api.get("/v1/integrations");
  const { data: [head] } = listSchema(integrationSummarySchema).parse(list.body);
  assert.deepEqual(head, {
    ...{ id: 3, name: "Shop", senders: ["shop@Example.com", "Sales@example.com"] },
    ...{ state: "ready", reason: null, since: null, openUntil: null, waiting: 0, signsFor: null },
  });
  assert.deepEqual((await api.get("/v1/integrations/3")).body, head);
  for (const id of ["4", "x", "03"]) {
    const { status, body } = await api.get(`/v1/integrations/${id}`);
    assert.deepEqual([status, body.code], [404, "unknown_integration"]);
  }
});
