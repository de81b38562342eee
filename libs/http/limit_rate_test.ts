import assert from "node:assert/strict";
import { test } from "node:test";
import { fastify, type FastifyRequest } from "fastify";
import { HttpError } from "./http_error.ts";
import { limitRate } from "./limit_rate.ts";

function openLimited(options: { max: number; windowMs: number }) {
  let now = 1000;
  const app = fastify();
  const callerOf = ({ headers }: FastifyRequest) => headers["x-token"] as string | undefined;
  const shared = { clock: { now: () => now }, callerOf };
  app.addHook("onRequest", limitRate({ ...options, ...shared }));
  app.register(async (heavy) => {
    heavy.addHook("onRequest", limitRate({ name: "heavy", max: 1, windowMs: 1000, ...shared }));
    heavy.get("/heavy", () => ({}));
  });
  app.setErrorHandler((error, _request, reply) => {
    assert.ok(error instanceof HttpError);
    return reply.code(429).send({ code: error.code, retryAfter: error.retryAfter });
  });
  app.get("/", () => ({}));
  return {
    ask: (token: string | undefined, url = "/") =>
      app.inject({ url, headers: token === undefined ? {} : { "x-token": token } }),
    pass: (ms: number) => void (now += ms),
  };
}

test("limitRate() counts each token separately, and starts again after the window", async () => {
  const { ask, pass } = openLimited({ max: 2, windowMs: 10_000 });
  assert.equal((await ask("a")).statusCode, 200);
  pass(3500);
  assert.equal((await ask("a")).statusCode, 200);
  const refused = await ask("a");
  assert.equal(refused.statusCode, 429);
  assert.deepEqual(refused.json(), { code: "too_many_requests", retryAfter: 7 });
  assert.equal((await ask("b")).statusCode, 200);
  pass(6499);
  assert.equal((await ask("a")).statusCode, 429);
  pass(1);
  assert.equal((await ask("a")).statusCode, 200);
});

test("limitRate() reports the policy and what is left, by the draft's names and its older ones", async () => {
  const { ask, pass } = openLimited({ max: 2, windowMs: 10_000 });
  await ask("a");
  pass(9500);
  const { headers } = await ask("a");
  assert.equal(headers["ratelimit-policy"], '"token";q=2;w=10');
  assert.equal(headers["ratelimit"], '"token";r=0;t=1');
  assert.equal(headers["ratelimit-limit"], "2");
  assert.equal(headers["ratelimit-remaining"], "0");
  assert.equal(headers["ratelimit-reset"], "1");
  const short = await openLimited({ max: 5, windowMs: 500 }).ask("a");
  assert.equal(short.headers["ratelimit-policy"], '"token";q=5');
  assert.equal(short.headers["ratelimit"], '"token";r=4;t=1');
});

test("limitRate() adds an item for a second policy, which is used up independently", async () => {
  const { ask } = openLimited({ max: 4, windowMs: 10_000 });
  const { statusCode, headers } = await ask("a", "/heavy");
  assert.equal(statusCode, 200);
  assert.equal(headers["ratelimit-policy"], '"token";q=4;w=10, "heavy";q=1;w=1');
  assert.equal(headers["ratelimit"], '"token";r=3;t=10, "heavy";r=0;t=1');
  assert.equal(headers["ratelimit-limit"], "4");
  const refused = await ask("a", "/heavy");
  assert.deepEqual(refused.json(), { code: "too_many_requests", retryAfter: 1 });
  assert.equal((await ask("a")).statusCode, 200);
  assert.equal((await ask("b", "/heavy")).statusCode, 200);
});

test("limitRate() neither counts a request without a caller nor reports a limit for it", async () => {
  const { ask } = openLimited({ max: 1, windowMs: 10_000 });
  for (let count = 0; count < 3; count++) {
    const { statusCode, headers } = await ask(undefined);
    assert.equal(statusCode, 200);
    assert.equal(headers["ratelimit"], undefined);
  }
});
