import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { openTestStages, type TestStages } from "./_test_stages.ts";

let stages: TestStages;
let dashboard: TestDashboard;
before(async () => {
  stages = openTestStages();
  dashboard = await openTestDashboard({ bus: stages.bus as never });
  const { store } = dashboard;
  stages.findAsset = async (accountId, name) => {
    const found = await store.assets.findName(accountId, name);
    if (found === null) return null;
    const { sha256, size, filename, contentType } = found;
    return { name, sha256, size, filename, contentType };
  };
});
after(async () => {
  await dashboard?.[Symbol.asyncDispose]();
  await stages[Symbol.asyncDispose]();
});

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const TEMPLATES = "/api/templates/email";

/** Stores another image under a name at each call, and returns its hash. */
async function put(name: string): Promise<string> {
  const bytes = Buffer.concat([GIF, Buffer.from([counter++])]);
  const headers = { "content-type": "image/gif" };
  const { status, body, text } = await dashboard.own.editor.put(
    `/api/assets/${name}`,
    bytes,
    headers,
  );
  assert.equal(status, 200, text);
  return body.sha256;
}
let counter = 0;

async function draft(html: string) {
  const { editor } = dashboard.own;
  const { body } = await editor.post(TEMPLATES, { name: "Welcome" });
  const source = { ...body.draft, subject: "Hi", html };
  const saved = await editor.put(`${TEMPLATES}/${body.id}/draft`, { revision: 1, source });
  assert.equal(saved.status, 200, saved.text);
  return { id: body.id as number, revision: saved.body.revision as number };
}

const publish = ({ id, revision }: { id: number; revision: number }) =>
  dashboard.own.editor.post(`${TEMPLATES}/${id}/publish`, { revision });

async function pinnedIn(id: number, version: number) {
  const found = await dashboard.store.templates.findVersion(
    dashboard.own.accountId,
    "email",
    id,
    version,
  );
  return found?.assets?.map(({ name, sha256 }) => [name, sha256]);
}

test("publishing pins the hashes of a template's images, and a new image makes a new version", async () => {
  const { own: { editor, accountId }, store } = dashboard;
  const first = await put("logo");
  const template = await draft('<img src="{{asset "logo"}}" alt="Shop">');
  const { body, status, text } = await publish(template);
  assert.deepEqual([status, body.publishedVersion], [200, 1], text);
  assert.deepEqual(await pinnedIn(template.id, 1), [["logo", first]]);
  assert.equal((await publish(template)).body.publishedVersion, 1);

  const second = await put("logo");
  assert.notEqual(second, first);
  assert.deepEqual(await pinnedIn(template.id, 1), [["logo", first]]);
  assert.equal((await publish(template)).body.publishedVersion, 2);
  assert.deepEqual(await pinnedIn(template.id, 2), [["logo", second]]);

  const detail = (await editor.get("/api/assets/logo")).body;
  assert.deepEqual(detail.usedBy, [{ kind: "email", id: template.id, name: "Welcome" }]);
  const rolled = await editor.post(`${TEMPLATES}/${template.id}/roll-back`, { version: 1 });
  assert.equal(rolled.body.publishedVersion, 3);
  assert.deepEqual(await pinnedIn(template.id, 3), [["logo", first]]);
  assert.notEqual(await store.assets.find(accountId, first), null);
});

test("publishing refuses a template whose image does not exist, at its place; the published version stays", async () => {
  const { own: { editor } } = dashboard;
  const template = await draft('<p>\n<img src="{{asset "mark"}}" alt="">');
  const { status, body } = await publish(template);
  assert.deepEqual([status, body.code], [422, "template_failed"]);
  assert.deepEqual(body.issues.map(({ path }: { path: string }) => path), ["html:2:11"]);
  assert.match(body.issues[0].message, /There is no stored image "mark"/);
  await put("mark");
  assert.equal((await publish(template)).status, 200);
  await editor.delete("/api/assets/mark");
  assert.equal((await publish(template)).status, 422);
  assert.equal((await pinnedIn(template.id, 1))?.length, 1);
});

test("a preview names a missing image among its findings", async () => {
  const { own: { editor } } = dashboard;
  const { body: { draft: source } } = await editor.post(TEMPLATES, { name: "Other" });
  const html = '<img src="{{asset "none"}}" alt="x"><img src="{{asset "logo"}}" alt="x">';
  const { body } = await editor.post(`${TEMPLATES}/preview`, { source: { ...source, html } });
  const rules = body.findings.map(({ rule }: { rule: string }) => rule);
  assert.ok(rules.includes("unknown_asset"), rules.join());
  assert.match(body.output.html, /src="cid:logo"/);
});
