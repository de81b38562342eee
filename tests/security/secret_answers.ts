import { TOKEN_SCOPES } from "@posthaste/contracts";
import { DATABASE } from "@posthaste/chaos";
import { searchFor, type Secret } from "@posthaste/chaos";
import { SENDER } from "@posthaste/chaos";
import type { Fixture } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";

/** A request to the interface, with or without a token. */
interface Question {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const MAX_MESSAGES = 100;

/**
 * Requests everything about the mail of each account, and every kind of error, while the database answers and
 * while it hangs. No answer may contain a secret, or the token of its request.
 *
 * @throws {Error} If a kind of answer did not come.
 */
export async function searchAnswers(
  fixture: Fixture,
  secrets: readonly Secret[],
): Promise<Pick<AttackRow, "tries" | "through" | "note">> {
  const { store, mongo, servers } = fixture;
  const statuses = new Map<number, number>();
  const leaks: string[] = [];
  const askAll = async (accountId: string, isDown: boolean) => {
    const { token } = await store.tokens.create({
      accountId,
      name: "a",
      scopes: [...TOKEN_SCOPES],
    });
    const narrow = await store.tokens.create({ accountId, name: "n", scopes: ["read"] });
    const search = searchFor([...secrets, { name: "the access token", value: token }]);
    const ids = await idsOf(fixture, accountId);
    const ask = async ({ path, headers, ...rest }: Question, bearer: string) => {
      const url = `${fixture.pods.running("api")[0]?.url}${path}`;
      const authorization = `Bearer ${bearer}`;
      const type = { "content-type": "application/json" };
      const answer = await fetch(url, { ...rest, headers: { ...type, authorization, ...headers } });
      const text = `${JSON.stringify([...answer.headers])}\n${await answer.text()}`;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      leaks.push(...search(text).map((leak) => `${answer.status} ${path}: ${leak}`));
    };
    if (isDown && servers.kind === "single") servers.mongod.signal("SIGSTOP");
    try {
      const questions = questionsAbout(ids, token);
      await Promise.all(questions.map((question) => ask(question, token)));
      if (!isDown) await Promise.all(questions.map((question) => ask(question, narrow.token)));
      const last = token.at(-1) === "0" ? "1" : "0";
      await ask({ method: "GET", path: "/sends/x" }, token.slice(0, -1) + last);
    } finally {
      if (isDown && servers.kind === "single") servers.mongod.signal("SIGCONT");
    }
  };
  const accounts = await mongo.db(DATABASE).collection<{ _id: string }>("accounts").find()
    .toArray();
  for (const { _id } of accounts) await askAll(_id, false);
  const [first] = accounts;
  if (first) await askAll(first._id, true);
  for (const status of [200, 400, 401, 403, 404, 405, 413, 415, 503]) {
    if (!statuses.has(status)) throw new Error(`Cannot search: no answer was ${status}`);
  }
  const tries = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...statuses.keys()].sort().join(", ");
  return { tries, through: leaks.length, note: leaks[0] ?? `answers ${kinds}` };
}

async function idsOf({ mongo }: Fixture, accountId: string) {
  const db = mongo.db(DATABASE);
  const messages = await db.collection<{ _id: string; sendId: string }>("messages")
    .find({ accountId }).limit(MAX_MESSAGES).toArray();
  const integrations = await db.collection<{ number: number }>("integrations")
    .find({ accountId }).limit(3).toArray();
  return {
    messages: messages.map(({ _id }) => _id),
    sends: [...new Set(messages.map(({ sendId }) => sendId))],
    integrations: integrations.map((_, at) => at + 1),
  };
}

/** Returns valid requests, and invalid ones whose errors are most likely to quote their input. */
function questionsAbout(
  { messages, sends, integrations }: Awaited<ReturnType<typeof idsOf>>,
  token: string,
): Question[] {
  const send = `/templates/chaos/send/${integrations[0] ?? 1}`;
  const good = { from: { email: SENDER }, to: [{ email: "jane@example.net" }] };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Question => ({
    ...{ method: "POST", path, headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return [
    ...messages.map((id): Question => ({ method: "GET", path: `/messages/${id}` })),
    ...sends.slice(0, 10).map((id): Question => ({ method: "GET", path: `/sends/${id}` })),
    { method: "GET", path: "/sends/snd_x" },
    { method: "GET", path: `/nowhere?access_token=x` },
    { method: "DELETE", path: send },
    post("/templates/chaos/render", { n: 1 }),
    post("/templates/chaos/render", {}),
    post(send, good),
    post(send, "{"),
    post(send, { ...good, token: "x" }),
    post(send, " ".repeat(6_000_000)),
    post(send, good, { "content-type": "text/plain" }),
    post(send, good, { "idempotency-key": "\u00e9" }),
    post("/templates/chaos/send/999999", good),
    post(`/templates/${"x".repeat(300)}/render`, {}),
    post(send, good, { cookie: `token=${token}`, "x-request-id": "1" }),
  ];
}
