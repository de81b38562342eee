import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";

/** A client that a provider knows. */
export interface OauthClient {
  id: string;
  secret: string | null;
}

/** A code that a person's consent brought. */
export interface OauthCode {
  /** By PKCE, S256. */
  challenge: string;
  redirectUri: string;
}

/** Parameters that a provider sends back to its client. */
export type ConsentAnswer = Record<string, string>;

/** Changes what is sent back, as a provider would that is faulty or attacked. */
export type ConsentFault = (answer: ConsentAnswer) => ConsentAnswer;

/** The page on which a person consents, or does not (RFC 6749, section 4.1.1; PKCE, RFC 7636). */
export interface ConsentPage {
  /** Every consent that was asked for. */
  readonly asked: readonly URLSearchParams[];
  /** Changes what is sent back from now on; `undefined` for nothing. */
  answer(fault: ConsentFault | undefined): void;
  /** Answers a request for the page, or a click on it. */
  handle(url: URL, response: ServerResponse): void;
}

/** S256 of any verifier, in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/** Opens the page. @param codes Receives the code of each consent. */
export function openConsentPage(
  codes: Map<string, OauthCode>,
  client: OauthClient | undefined,
): ConsentPage {
  const asked: URLSearchParams[] = [];
  let fault: ConsentFault | undefined;

  function ask(search: URLSearchParams, response: ServerResponse): void {
    asked.push(search);
    const wrong = faultOf(search, client);
    if (wrong !== undefined) return page(response, 400, `Wrong request: ${wrong}`);
    const links = ["Allow", "Cancel"].map((name) =>
      `<a href="/${name}?${escaped(search.toString())}">${name}</a>`
    );
    page(response, 200, links.join(" "));
  }

  function sendBack(search: URLSearchParams, answer: ConsentAnswer, response: ServerResponse) {
    const back = new URL(search.get("redirect_uri") ?? "");
    const whole = { ...answer, state: search.get("state") ?? "" };
    back.search = new URLSearchParams(fault?.(whole) ?? whole).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  return {
    asked,
    answer: (next) => void (fault = next),
    handle({ pathname, searchParams: search }, response) {
      if (pathname === "/Cancel") return sendBack(search, { error: "access_denied" }, response);
      if (pathname !== "/Allow") return ask(search, response);
      const code = `4/${randomUUID()}`;
      codes.set(code, {
        challenge: search.get("code_challenge") ?? "",
        redirectUri: search.get("redirect_uri") ?? "",
      });
      sendBack(search, { code }, response);
    },
  };
}

function faultOf(
  search: URLSearchParams,
  client: OauthClient | undefined,
): string | undefined {
  const wanted: [name: string, isRight: (value: string) => boolean][] = [
    ["response_type", (value) => value === "code"],
    ["client_id", (value) => client === undefined || value === client.id],
    ["redirect_uri", (value) => URL.canParse(value)],
    ["scope", (value) => value !== ""],
    ["state", (value) => value.length >= 20],
    ["code_challenge_method", (value) => value === "S256"],
    ["code_challenge", (value) => CHALLENGE.test(value)],
  ];
  return wanted.find(([name, isRight]) => !isRight(search.get(name) ?? ""))?.[0];
}

function page(response: ServerResponse, status: number, body: string): void {
  const html = `<!doctype html><html lang="en"><title>Provider</title><main>${body}</main>`;
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
