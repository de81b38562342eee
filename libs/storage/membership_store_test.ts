import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { AmbiguousNameError } from "./ambiguous_name_error.ts";
import { NameTakenError } from "./name_taken_error.ts";

const ACCOUNT = "acc_1";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const name of ["users", "members", "invitations", "accounts"]) {
    await opened.db.collection(name).deleteMany({});
  }
});

const person = (name: string) => ({ email: `${name}@example.com`, name, passwordHash: null });

const invitation = (email: string, changes = {}) => ({
  ...{ _id: `hash-of-${email}`, accountId: ACCOUNT, email, role: "editor" as const },
  ...{ invitedBy: "usr_1", createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) },
  ...changes,
});

test("setUp() makes one owner of twenty concurrent calls, and leaves nothing of the others", async () => {
  const { store, db } = opened;
  const tries = Array.from(
    { length: 20 },
    (_, i) => store.people.setUp({ accountName: `Account ${i}`, user: person(`owner${i}`) }),
  );
  const made = (await Promise.all(tries)).filter((each) => each !== null);
  assert.equal(made.length, 1);
  for (const name of ["users", "members", "accounts"]) {
    assert.equal(await db.collection(name).countDocuments(), 1, name);
  }
  const [first] = made;
  assert.ok(first);
  const member = await store.people.findMember(first.account._id, first.user._id);
  assert.equal(member?.role, "owner");
});

test("setUp() reuses an account of the command line, and does nothing once there is a user", async () => {
  const { store } = opened;
  const account = await store.accounts.create({ name: "Shop" });
  const first = await store.people.setUp({ accountName: "Shop", user: person("jane") });
  assert.equal(first?.account._id, account._id);
  assert.equal(await store.people.setUp({ accountName: "Other", user: person("joe") }), null);
  assert.equal(await store.accounts.find("Other"), null);
});

test("changeRole() and removeMember() leave an account one owner, also in concurrent calls", async () => {
  const { store } = opened;
  for (const round of ["change", "remove", "both"]) {
    const accountId = `acc_${round}`;
    const users = await Promise.all(
      Array.from({ length: 6 }, (_, i) => store.people.create(person(`${round}${i}`))),
    );
    for (const { _id: userId } of users) {
      await store.people.setMember({ accountId, userId, role: "owner" });
    }
    const changes = await Promise.all(
      users.map(({ _id }, i) =>
        round === "change" || round === "both" && i % 2 === 0
          ? store.people.changeRole(accountId, _id, "viewer")
          : store.people.removeMember(accountId, _id)
      ),
    );
    assert.equal(changes.filter((change) => change === "last_owner").length, 1, round);
    const owners = (await store.people.listMembers(accountId)).filter((m) =>
      m.member.role === "owner"
    );
    assert.equal(owners.length, 1, round);
  }
});

test("changeRole() and removeMember() return `no_member` for a stranger, also of another account", async () => {
  const { store } = opened;
  const user = await store.people.create(person("jane"));
  await store.people.setMember({ accountId: "acc_other", userId: user._id, role: "viewer" });
  assert.equal(await store.people.changeRole(ACCOUNT, user._id, "owner"), "no_member");
  assert.equal(await store.people.removeMember(ACCOUNT, user._id), "no_member");
  assert.equal((await store.people.findMember("acc_other", user._id))?.role, "viewer");
});

test("removeMember() ends the membership of a non-owner, and of an owner beside another", async () => {
  const { store } = opened;
  const [a, b, c] = await Promise.all(["a", "b", "c"].map((n) => store.people.create(person(n))));
  assert.ok(a && b && c);
  await store.people.setMember({ accountId: ACCOUNT, userId: a._id, role: "owner" });
  await store.people.setMember({ accountId: ACCOUNT, userId: b._id, role: "owner" });
  await store.people.setMember({ accountId: ACCOUNT, userId: c._id, role: "editor" });
  assert.equal(await store.people.removeMember(ACCOUNT, c._id), "done");
  assert.equal(await store.people.removeMember(ACCOUNT, a._id), "done");
  assert.equal(await store.people.removeMember(ACCOUNT, b._id), "last_owner");
  assert.deepEqual((await store.people.listMembers(ACCOUNT)).map(({ user }) => user.name), ["b"]);
});

test("invitations of an owner end with the role or the membership", async () => {
  const { store } = opened;
  const ends: ((userId: string) => Promise<unknown>)[] = [
    (userId) => store.people.removeMember(ACCOUNT, userId),
    (userId) => store.people.changeRole(ACCOUNT, userId, "editor"),
    (userId) => store.people.remove(userId),
  ];
  const [last] = await Promise.all(["last"].map((name) => store.people.create(person(name))));
  assert.ok(last);
  await store.people.setMember({ accountId: ACCOUNT, userId: last._id, role: "owner" });
  const kept = invitation("kept@example.com", { invitedBy: last._id });
  await store.invitations.create(kept);
  for (const [index, end] of ends.entries()) {
    const { _id: invitedBy } = await store.people.create(person(`owner${index}`));
    await store.people.setMember({ accountId: ACCOUNT, userId: invitedBy, role: "owner" });
    const invited = invitation(`again${index}@example.com`, { invitedBy, role: "owner" });
    const elsewhere = { ...invited, _id: `elsewhere${index}`, accountId: "acc_other" };
    await store.invitations.create(invited);
    await store.invitations.create(elsewhere);
    await store.people.changeRole(ACCOUNT, invitedBy, "owner");
    assert.notEqual(await store.invitations.find(invited._id, new Date()), null);
    await end(invitedBy);
    const joining = { newUser: person(`joiner${index}`) };
    assert.equal(await store.people.acceptInvitation(invited, joining), null);
    assert.notEqual(await store.invitations.find(elsewhere._id, new Date()), null);
  }
  // The last owner stays, and so do the invitations.
  assert.equal(await store.people.removeMember(ACCOUNT, last._id), "last_owner");
  assert.notEqual(await store.invitations.find(kept._id, new Date()), null);
});

test("an invitation that was written while its owner was removed is not accepted", async () => {
  const { store } = opened;
  const { _id: invitedBy } = await store.people.create(person("removed"));
  await store.people.setMember({ accountId: ACCOUNT, userId: invitedBy, role: "editor" });
  const late = invitation("again@example.com", { invitedBy });
  await store.invitations.create(late);
  const joining = { newUser: person("again") };
  assert.equal(await store.people.acceptInvitation(late, joining), null);
  await store.people.setMember({ accountId: ACCOUNT, userId: invitedBy, role: "owner" });
  await store.invitations.create(late);
  assert.notEqual(await store.people.acceptInvitation(late, joining), null);
});

test("acceptInvitation() makes one member in ten concurrent calls", async () => {
  const { store, db } = opened;
  await store.people.setMember({ accountId: ACCOUNT, userId: "usr_1", role: "owner" });
  const invited = invitation("new@example.com");
  await store.invitations.create(invited);
  const tries = Array.from(
    { length: 10 },
    (_, i) => store.people.acceptInvitation(invited, { newUser: person(`joiner${i}`) }),
  );
  const joined = (await Promise.all(tries)).filter((each) => each !== null);
  assert.equal(joined.length, 1);
  assert.equal(joined[0]?.member.role, "editor");
  assert.equal(await db.collection("users").countDocuments(), 1);
});

test("acceptInvitation() lowers no role, and keeps the invitation if another has proven the address", async () => {
  const { store } = opened;
  const proven = { ...person("jane"), emailProvenAt: new Date() };
  const user = await store.people.create(proven);
  await store.people.setMember({ accountId: ACCOUNT, userId: user._id, role: "owner" });
  const invited = invitation("jane@example.com", { invitedBy: user._id });
  await store.invitations.create(invited);
  await assert.rejects(
    store.people.acceptInvitation(invited, { newUser: proven }),
    NameTakenError,
  );
  const joined = await store.people.acceptInvitation(invited, { userId: user._id });
  assert.equal(joined?.member.role, "owner");
  assert.equal(await store.invitations.find(invited._id, new Date()), null);
});

test("an address identifies the user who has proven it, and until then several may have it", async () => {
  const { store } = opened;
  const others = [
    await store.people.create(person("sam")),
    await store.people.create(person("sam")),
  ];
  assert.equal(await store.people.findByProvenEmail("sam@example.com"), null);
  const proven = await store.people.create({ ...person("sam"), emailProvenAt: new Date() });
  assert.equal((await store.people.findByProvenEmail("Sam@example.com"))?._id, proven._id);
  const all = await store.people.listByEmail("Sam@example.com");
  assert.deepEqual(all.map(({ _id }) => _id), [proven._id, ...others.map(({ _id }) => _id)]);
  const second = store.people.update(others[0]?._id ?? "", { emailProvenAt: new Date() });
  await assert.rejects(second, NameTakenError);
});

test("linkUser() ends the password and the sessions of a user with a proven address, once", async () => {
  const { store } = opened;
  const oidc = { issuer: "https://id.example", subject: "1" };
  const unproven = await store.people.create({ ...person("una"), passwordHash: "x" });
  assert.equal(await store.people.link(unproven._id, oidc), null);
  assert.equal((await store.people.find(unproven._id))?.passwordHash, "x");
  const { _id } = await store.people.create({
    ...{ ...person("pia"), passwordHash: "x", emailProvenAt: new Date() },
  });
  const at = new Date();
  await store.sessions.create({
    ...{ _id: "before", userId: _id, accountId: ACCOUNT, csrfToken: "x", userAgent: "" },
    ...{ createdAt: at, lastSeenAt: at, expiresAt: new Date(at.getTime() + 60_000) },
  });
  const linked = await store.people.link(_id, oidc);
  assert.deepEqual([linked?.oidc, linked?.passwordHash], [oidc, null]);
  assert.equal(await store.sessions.find("before", at), null);
  assert.equal(await store.people.link(_id, { ...oidc, subject: "2" }), null);
});

test("ensureIndexes() lifts the rule of earlier versions that addresses are unique", async () => {
  const { store, db } = opened;
  await db.collection("users").deleteMany();
  await db.collection("users").createIndex({ email: 1 }, { unique: true, name: "email_1" });
  await store.ensureIndexes();
  await store.people.create(person("kim"));
  await store.people.create(person("kim"));
});

test("createInvitation() replaces an earlier invitation to an address, in this account only", async () => {
  const { store } = opened;
  await store.invitations.create(invitation("new@example.com"));
  await store.invitations.create(invitation("New@example.com", { _id: "second" }));
  await store.invitations.create(
    invitation("new@example.com", { _id: "third", accountId: "acc_2" }),
  );
  const now = new Date();
  assert.deepEqual((await store.invitations.list(ACCOUNT, now)).map(({ _id }) => _id), ["second"]);
  const all = await store.invitations.listTo("NEW@example.com", now);
  assert.deepEqual(all.map(({ _id }) => _id), ["second", "third"]);
  assert.equal(await store.invitations.remove("acc_2", "second"), false);
  assert.equal(await store.invitations.remove(ACCOUNT, "second"), true);
  const later = new Date(Date.now() + 3600_000);
  assert.equal(await store.invitations.find("third", later), null);
  assert.deepEqual(await store.invitations.listTo("new@example.com", later), []);
});

test("updateAccount() changes the given fields, and reveals nothing of other accounts", async () => {
  const { store } = opened;
  const account = await store.accounts.create({ name: "Shop" });
  assert.deepEqual(account.retention, { contentDays: 7 });
  await store.accounts.create({ name: "Other" });
  const changed = await store.accounts.update(account._id, { retention: { contentDays: 0 } });
  assert.deepEqual(changed, { ...account, retention: { contentDays: 0 } });
  // A refusal would reveal the other account.
  assert.equal((await store.accounts.update(account._id, { name: "Other" }))?.name, "Other");
  await assert.rejects(store.accounts.find("Other"), (error: Error) => {
    assert.ok(error instanceof AmbiguousNameError);
    assert.equal(error.ids.length, 2);
    return /2 have the name "Other"/.test(error.message);
  });
  assert.equal((await store.accounts.update(account._id, { name: "New" }))?.name, "New");
  assert.equal(await store.accounts.update("acc_none", { name: "None" }), null);
});

test("an account from before there was retention keeps contents for 7 days", async () => {
  const { store, db } = opened;
  const old = { _id: "acc_old", name: "Old", createdAt: new Date() };
  await db.collection<typeof old>("accounts").insertOne(old);
  assert.equal((await store.accounts.find("acc_old"))?.retention.contentDays, 7);
});
