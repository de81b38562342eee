import assert from "node:assert/strict";
import type { Answer, TestDashboard } from "./_test_dashboard.ts";
import { SESSION_COOKIE } from "./guard.ts";
import type { JoiningView } from "./interface/people.ts";
import { JOINING_COOKIE } from "./routes/joining.ts";
import { OIDC_COOKIE } from "./routes/oidc.ts";

export { type Claims, openTestProvider, type TestProvider } from "@posthaste/kit";

/** A browser's way to the provider and back. */
export interface Departure {
  /** Path that the provider sends the browser to. */
  back: string;
  /** The cookie that the browser keeps meanwhile. */
  cookie: string;
}

/** Sends a browser to the provider. */
export async function depart(
  { signedOut }: Pick<TestDashboard, "signedOut">,
  query = "",
): Promise<Departure> {
  const sent = await signedOut.get(`/api/sign-in/oidc${query}`);
  assert.equal(sent.status, 303);
  const answer = await fetch(String(sent.headers["location"]), { redirect: "manual" });
  const { pathname, search } = new URL(answer.headers.get("location") ?? "");
  return { back: `${pathname}${search}`, cookie: sent.cookies[OIDC_COOKIE] ?? "" };
}

/** Lets the browser come back. Returns where it is sent, its session if it has one, and its cookies. */
export async function arrive(
  { signedOut, browser }: Pick<TestDashboard, "signedOut" | "browser">,
  { back, cookie }: Departure,
) {
  const answer = await signedOut.get(back, { cookie: `${OIDC_COOKIE}=${cookie}` });
  const token = answer.cookies[SESSION_COOKIE];
  const session = token === undefined ? undefined : (await browser(token).get("/api/session")).body;
  assert.equal(answer.cookies[OIDC_COOKIE], "");
  return { to: answer.headers["location"], session, cookies: answer.cookies };
}

/** Accepts an account's offer. Returns the person's session. */
export async function approve(
  { signedOut, browser }: Pick<TestDashboard, "signedOut" | "browser">,
  { cookies }: Pick<Answer, "cookies">,
  accountName: string,
) {
  const cookie = { cookie: `${JOINING_COOKIE}=${cookies[JOINING_COOKIE]}` };
  const { offers }: JoiningView = (await signedOut.get("/api/sign-in/joining", cookie)).body;
  const offer = offers.find((each) => each.accountName === accountName);
  const joined = await signedOut.post("/api/sign-in/joining", { id: offer?.id }, cookie);
  assert.equal(joined.status, 200, joined.text);
  return (await browser(joined.cookies[SESSION_COOKIE]).get("/api/session")).body;
}
