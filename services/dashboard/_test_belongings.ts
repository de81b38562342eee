import assert from "node:assert/strict";
import {
  type Batch,
  BATCH_OPEN_MS,
  messageIdOf,
  newId,
  pageOptionsSchema,
  webhookSettingsSchema,
} from "@posthaste/contracts";
import { byDay, testSend } from "@posthaste/kit";
import type { Store } from "@posthaste/storage";
import type { Answer, TestAccount } from "./_test_dashboard.ts";
import { hashToken, newToken } from "./session.ts";

/** Parameters that name no object of an account, with the values to try. */
const KINDS: Record<string, string[]> = { kind: ["email", "pdf"] };

const NO_SECRET = { keyId: "k", wrappedKey: "w", nonce: "n", ciphertext: "c" };

/** Adds `count` objects of every kind to an account, all with the word canary in their texts. */
export async function furnish(
  store: Store,
  { accountId, owner, viewer, account }: TestAccount,
  count: number,
): Promise<Record<string, string[]>> {
  const word = account.name === "Foreign" ? "canary" : "own";
  const ids: Record<string, string[]> = {};
  const note = (name: string, id: string | number) => (ids[name] ??= []).push(String(id));
  const text = { subject: word, html: word, text: word };
  const base = { accountId, name: word, sourceHash: word, variables: [] };
  for (let i = 1; i <= count; i++) {
    const { template } = await store.templates.publish({
      ...{ ...base, kind: "email", alias: `${word}-${i}`, source: text, parts: text },
    });
    const { template: pdf } = await store.templates.publish({
      ...{ ...base, kind: "pdf", alias: `${word}-${i}`, source: { html: word } },
      ...{ parts: { html: word, filename: "a.pdf" }, page: pageOptionsSchema.parse({}) },
    });
    const integration = await store.integrations.create({
      ...{ accountId, name: `${word} ${i}`, host: `${word}.example`, port: 25, tls: "none" },
      ...{ auth: null, senders: [`${word}@example.com`] },
    });
    const send = testSend({
      ...{ accountId, acceptedAt: new Date() },
      request: { from: { email: `${word}@example.com` }, to: [{ email: `${word}@example.net` }] },
    });
    await store.sends.accept(send);
    const batch = batchOf(accountId);
    await store.batches.create(batch, undefined);
    note("batchId", batch._id);
    const token = await store.tokens.create({ accountId, name: word, scopes: ["read"] });
    const link = newToken();
    await store.invitations.create({
      ...{ _id: hashToken(link), accountId, email: `${word}${i}@x.example`, role: "viewer" },
      ...{ invitedBy: owner.user._id, createdAt: new Date() },
      expiresAt: new Date(Date.now() + 3600_000),
    });
    // Numbers are counted per account: own has the first of each, so these exist in the other
    // account only.
    if (i > 1) { for (const id of [template.id, template.alias ?? ""]) note("templateId", id); }
    if (i > 1) note("pdfId", pdf.id);
    if (i > 1) note("integrationId", integration.id);
    const webhookId = newId("whk");
    await store.webhooks.create({
      ...{ _id: webhookId, accountId, secret: NO_SECRET, at: new Date() },
      ...webhookSettingsSchema.parse({ url: `https://${word}.example/${i}` }),
    });
    await store.webhooks.saveDeliveries([{
      ...{ _id: `${webhookId}/evt_${word}${i}`, accountId, webhookId, eventId: `evt_${word}${i}` },
      ...{ type: "webhook.test", state: "failed", tries: 1, nextAt: null, attempts: [] },
      ...{ at: new Date(), expiresAt: new Date(Date.now() + 3600_000) },
    }]);
    const name = `${word}-${i}.png`;
    const file = { sha256: `${i}`.repeat(64), size: 1, filename: name, contentType: "image/png" };
    await store.assets.putName(
      { ...file, accountId, name, alt: word, updatedAt: new Date() },
      Buffer.from("x"),
    );
    const partial = `${word}-${i}`;
    await store.partials.change({
      ...{ accountId, name: partial, source: word, revision: 0 },
      ...{ updatedAt: new Date(), updatedBy: null },
    });
    note("partial", partial);
    note("name", name);
    note("webhookId", webhookId);
    note("eventId", `evt_${word}${i}`);
    note("sendId", send._id);
    note("messageId", messageIdOf(send._id, 0));
    note("tokenId", token.record._id);
    note("invitationId", hashToken(link));
    note("link", link);
  }
  for (const { user, sessionId } of [owner, viewer]) {
    note("userId", user._id);
    note("sessionId", sessionId);
  }
  const passkey = { id: word, publicKey: word, counter: 0, transports: [], name: word };
  await store.people.update(owner.user._id, {
    secondFactor: {
      ...{ totp: null, recoveryCodes: [] },
      passkeys: [{ ...passkey, createdAt: new Date() }],
    },
  });
  note("passkeyId", word);
  // By day one object of each kind, and both names of a template.
  const some = Object.entries(ids)
    .flatMap(([name, all]) => name === "templateId" ? all : all.slice(-1));
  ids["id"] = byDay(some, Object.values(ids).flat());
  ids["token"] = [...ids["tokenId"] ?? [], ...ids["link"] ?? []];
  ids["version"] = ["1"];
  ids["n"] = ["0"];
  ids["contentId"] = ids["name"] ?? [];
  ids["key"] = ["0".repeat(64)];
  return ids;
}

function batchOf(accountId: string): Batch {
  const [createdAt, closesAt] = [new Date(), new Date(Date.now() + BATCH_OPEN_MS)];
  return {
    ...{ _id: newId("bat"), accountId, createdAt, closesAt, endedAt: null, state: "open" },
    ...{ start: "close", template: { id: 1, version: 1 }, integrationId: 1, pdfs: [] },
    ...{ recipients: 0, sends: 0, dueAt: closesAt },
  };
}

/** Returns whether a method changes anything. */
export const isChange = (method: string) => method !== "GET";

/** Returns the address of a route. Parameters that are not given get a value that no account has. */
export function pathOf(url: string, given: Record<string, string> = {}): string {
  return url.replaceAll(
    /:(\w+)/g,
    (_, name: string) => encodeURIComponent(given[name] ?? KINDS[name]?.[0] ?? "nothing"),
  );
}

/** Returns each way to name the other account's objects in an address. */
export function namings(
  url: string,
  foreignIds: Record<string, string[]>,
): Record<string, string>[] {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return names.flatMap((name) => {
    const others = names.filter((other) => other !== name && KINDS[other] !== undefined);
    if (KINDS[name] !== undefined) return [];
    const ids = foreignIds[name];
    assert.ok(ids, `${url}: say what :${name} is, in furnish() of _test_belongings.ts`);
    const [kind] = others;
    const kinds = kind === undefined
      ? [{}]
      : (KINDS[kind] ?? []).map((value) => ({ [kind]: value }));
    return ids.flatMap((id) => kinds.map((each) => ({ ...each, [name]: id })));
  });
}

/** Asserts that a request was refused: as not found, for an invalid id, or for its missing body. */
export function assertNothing(
  { status, text }: Answer,
  { label, given }: { label: string; given: Record<string, string> },
): void {
  // A link belongs to the person whose address it names, not to the account.
  const isForAnother = status === 403 && label.startsWith("POST /api/invitations/");
  const isNothing = [400, 404].includes(status) || isForAnother;
  assert.ok(isNothing, `${label}: ${status} ${text}`);
  const ids = Object.values(given).reduce((rest, id) => rest.replaceAll(id, ""), text);
  if (!isForAnother) assert.doesNotMatch(ids, /canary/i, label);
}

/** Returns all that an account has, as stored in the database. */
export async function stateOf(store: Store, { accountId, owner }: TestAccount) {
  const now = new Date();
  const sends = await store.sends.list(accountId, { limit: 100 });
  return {
    sends,
    messages: await Promise.all(sends.map(({ _id }) => store.messages.list(accountId, _id))),
    emails: await store.templates.list(accountId, "email"),
    pdfs: await store.templates.list(accountId, "pdf"),
    integrations: await store.integrations.list(accountId),
    partials: await store.partials.list(accountId),
    batches: await store.batches.list(accountId, { limit: 100 }),
    webhooks: await store.webhooks.list(accountId),
    assets: await store.assets.listNames(accountId, { limit: 100 }),
    tokens: await store.tokens.list(accountId),
    members: await store.people.listMembers(accountId),
    invitations: await store.invitations.list(accountId, now),
    sessions: await store.sessions.list(owner.user._id, now),
    audit: await store.audit.list(accountId, { limit: 100 }),
    account: await store.accounts.find(accountId),
  };
}
