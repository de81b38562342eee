import { requestText } from "./_raw_http.ts";

/** A request that is broken, or that a proxy and the service may read differently. */
export interface AttackRequest {
  name: string;
  bytes: Buffer;
  /** The server may also close without a word. */
  mayClose?: boolean;
}

/** The target of the requests. */
export interface RequestsFor {
  token: string;
  /** Path of a send that would be accepted. */
  path: string;
  /** Its body. */
  body: string;
}

/** Returns malicious requests: none may be accepted, and none may smuggle in another one. */
export function attackRequests(options: RequestsFor): AttackRequest[] {
  return [
    ...smuggling(options),
    ...chunks(options),
    ...syntax(options),
    ...floods(options),
    ...targets(options),
    ...confusions(options),
  ];
}

function headersOf({ token }: RequestsFor, ...more: string[]): string[] {
  return ["Host: x", `Authorization: Bearer ${token}`, "Content-Type: application/json", ...more];
}

function smuggling(options: RequestsFor): AttackRequest[] {
  const { path, body } = options;
  const inner = requestText(`POST ${path} HTTP/1.1`, headersOf(options), body).toString("latin1");
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const framings: [string, string[]][] = [
    ["length and chunked", ["Content-Length: 4", "Transfer-Encoding: chunked"]],
    ["chunked and length", ["Transfer-Encoding: chunked", "Content-Length: 4"]],
    ["two lengths", [`Content-Length: ${body.length}`, "Content-Length: 4"]],
    ["two equal lengths", [`Content-Length: ${body.length}`, `Content-Length: ${body.length}`]],
    ["list of lengths", [`Content-Length: ${body.length}, ${body.length}`]],
    ["length with plus", [`Content-Length: +${body.length}`]],
    ["negative length", ["Content-Length: -1"]],
    ["length in hex", ["Content-Length: 0x10"]],
    ["length with a tail", [`Content-Length: ${body.length}abc`]],
    ["length with a blank inside", ["Content-Length: 1 0"]],
    ["enormous length", ["Content-Length: 99999999999999999999999999"]],
    ["length wraps 64 bits", ["Content-Length: 18446744073709551620"]],
    ["empty length", ["Content-Length:"]],
    ["unknown coding", ["Transfer-Encoding: xchunked"]],
    ["chunked, then identity", ["Transfer-Encoding: chunked, identity"]],
    ["identity, then chunked", ["Transfer-Encoding: identity, chunked"]],
    ["gzip, then chunked", ["Transfer-Encoding: gzip, chunked"]],
    ["chunked twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]],
    ["chunked twice in one", ["Transfer-Encoding: chunked, chunked"]],
    ["chunked after a vertical tab", ["Transfer-Encoding: \u{b}chunked"]],
    ["chunked in quotes", ['Transfer-Encoding: "chunked"']],
    ["blank before the colon", ["Transfer-Encoding : chunked"]],
    ["tab before the colon", ["Transfer-Encoding\t: chunked"]],
    ["folded line", ["Transfer-Encoding:\r\n chunked"]],
    ["folded second line", ["X-A: b\r\n\tTransfer-Encoding: chunked", "Content-Length: 4"]],
    ["coding ends with a bare LF", ["X-A: b\nTransfer-Encoding: chunked"]],
    ["coding ends with a bare CR", ["X-A: b\rTransfer-Encoding: chunked"]],
    ["NUL in the name", ["Transfer-\u{0}Encoding: chunked"]],
    ["NUL in the value", ["Transfer-Encoding: chun\u{0}ked"]],
  ];
  return framings.map(([name, headers]) => ({
    name: `smuggling: ${name}`,
    bytes: requestText(`POST ${path} HTTP/1.1`, headersOf(options, ...headers), chunked + inner),
  }));
}

function chunks(options: RequestsFor): AttackRequest[] {
  const { path, body } = options;
  const size = body.length.toString(16);
  const bodies: [string, string][] = [
    ["size beyond 64 bits", `FFFFFFFFFFFFFFFFF\r\n${body}`],
    ["size in 0x", `0x${size}\r\n${body}\r\n0\r\n\r\n`],
    ["negative size", `-${size}\r\n${body}\r\n0\r\n\r\n`],
    ["size with a blank before", ` ${size}\r\n${body}\r\n0\r\n\r\n`],
    ["no size", `\r\n${body}\r\n0\r\n\r\n`],
    ["size ends with a bare LF", `${size}\n${body}\r\n0\r\n\r\n`],
    ["data ends with a bare LF", `${size}\r\n${body}\n0\r\n\r\n`],
    ["data longer than its size", `1\r\n${body}\r\n0\r\n\r\n`],
    ["extension with a bare LF", `${size};a\nb\r\n${body}\r\n0\r\n\r\n`],
    ["flood of extensions", `${size};${"a=b;".repeat(10_000)}\r\n${body}\r\n0\r\n\r\n`],
    ["flood of trailers", `${size}\r\n${body}\r\n0\r\n${"X-A: b\r\n".repeat(5000)}\r\n`],
  ];
  return bodies.map(([name, text]) => ({
    name: `chunks: ${name}`,
    bytes: requestText(
      `POST ${path} HTTP/1.1`,
      headersOf(options, "Transfer-Encoding: chunked"),
      text,
    ),
  }));
}

function syntax(options: RequestsFor): AttackRequest[] {
  const { path, body } = options;
  const headers = headersOf(options);
  const lines: [string, string][] = [
    ["HTTP/0.9", `GET ${path}`],
    ["HTTP/2.0", `POST ${path} HTTP/2.0`],
    ["HTTP/1.2", `POST ${path} HTTP/1.2`],
    ["HTTP/11", `POST ${path} HTTP/11`],
    ["http in lower case", `POST ${path} http/1.1`],
    ["no version", `POST ${path} `],
    ["tab", `POST\t${path}\tHTTP/1.1`],
    ["blank in the path", `POST ${path} x HTTP/1.1`],
    ["method in lower case", `post ${path} HTTP/1.1`],
    ["unknown method", `SEND ${path} HTTP/1.1`],
    ["NUL in the path", `POST ${path}\u{0} HTTP/1.1`],
    ["bytes beyond ASCII", `POST ${path}\u{ff}\u{fe} HTTP/1.1`],
  ];
  const names: [string, string[]][] = [
    ["header without a colon", [...headers, "nonsense"]],
    ["header without a name", [...headers, ": x"]],
    ["blank in a name", [...headers, "X A: b"]],
    ["NUL in a value", [...headers, "X-A: \u{0}"]],
    ["control character in a value", [...headers, "X-A: \u{8}"]],
    ["no host", headers.slice(1)],
    ["two hosts", [...headers, "Host: y"]],
    ["two tokens", [...headers, "Authorization: Bearer ph_other"]],
    ["two types", [...headers, "Content-Type: text/plain"]],
    ["two keys", [...headers, "Idempotency-Key: a", "Idempotency-Key: b"]],
    ["empty key", [...headers, "Idempotency-Key:"]],
    ["long key", [...headers, `Idempotency-Key: ${"k".repeat(256)}`]],
    ["key beyond ASCII", [...headers, "Idempotency-Key: \u{e4}"]],
  ];
  const alien: [string, Buffer][] = [
    ["TLS", Buffer.from("16030100c8010000c40303", "hex")],
    ["HTTP/2 preface", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")],
    ["SMTP", Buffer.from("EHLO x\r\nMAIL FROM:<a@b.example>\r\n")],
    ["proxy protocol", Buffer.from("PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n")],
    ["zeros", Buffer.alloc(4096)],
  ];
  const dash = Buffer.from(
    requestText(`POST ${path} HTTP/1.1`, headers, body).toString("latin1").replaceAll("\r\n", "\n"),
    "latin1",
  );
  return [
    { name: "syntax: bare LF everywhere", bytes: dash },
    ...lines.map(([name, line]) => ({
      name: `syntax: ${name}`,
      bytes: requestText(line, headers, body),
    })),
    ...names.map(([name, list]) => ({
      name: `syntax: ${name}`,
      bytes: requestText(`POST ${path} HTTP/1.1`, list, body),
    })),
    ...alien.map(([name, bytes]) => ({ name: `syntax: ${name}`, bytes })),
  ];
}

function floods(options: RequestsFor): AttackRequest[] {
  const { path, body } = options;
  const lists: [string, string[]][] = [
    ["100 more headers", Array.from({ length: 100 }, (_, n) => `X-${n}: a`)],
    ["5,000 headers", Array.from({ length: 5000 }, (_, n) => `X-${n}: a`)],
    ["5,000 nameless headers", Array(5000).fill("a:")],
    ["one header of 20 KB", [`X-A: ${"a".repeat(20_000)}`]],
    ["a header name of 20 KB", [`${"a".repeat(20_000)}: x`]],
    ["a token of 12 KB", [`Authorization: Bearer ${"a".repeat(12_000)}`]],
    ["2,000 cookies", Array(2000).fill("Cookie: a=b")],
  ];
  return [
    ...lists.map(([name, more]) => ({
      name: `floods: ${name}`,
      bytes: requestText(`POST ${path} HTTP/1.1`, headersOf(options, ...more), body),
    })),
    {
      name: "floods: a path of 20 KB",
      bytes: requestText(`POST ${path}?${"a".repeat(20_000)} HTTP/1.1`, headersOf(options), body),
    },
    {
      name: "floods: a path that never ends",
      bytes: Buffer.from(`POST ${"/a".repeat(100_000)}`),
    },
  ];
}

function targets(options: RequestsFor): AttackRequest[] {
  const { path, body } = options;
  const [, , , template, , integration] = path.split("/");
  const paths = [
    `/v1/../${path}`,
    `/v1/./templates/${template}/send/${integration}/.`,
    `/%2e%2e${path}`,
    `/v1/templates/..%2fchaos/send/${integration}`,
    `/v1/templates/${template}%00/send/${integration}`,
    `/v1/templates/${template}%2fsend/${integration}`,
    `/v1/templates/%c0%ae%c0%ae/send/${integration}`,
    `/v1/templates/${template}%/send/${integration}`,
    `/v1/templates/${template};a=b/send/${integration}`,
    `/v1/templates/${template}/send/${integration}/`,
    `/v1/templates//send/${integration}`,
    `/v1//templates/${template}/send/${integration}`,
    `//v1/templates/${template}/send/${integration}`,
    path.toUpperCase(),
    `${path}#x`.replace("#", "%23"),
    `\\v1\\templates\\${template}\\send\\${integration}`,
    `/v1/templates/${template}/send/0${integration}`,
    `/v1/templates/${template}/send/${integration}.0`,
    `/v1/templates/${template}/send/${integration}e0`,
    `/v1/templates/${template}/send/-${integration}`,
    `/v1/templates/${template}/send/%ef%bc%91`,
    `/v1/templates/__proto__/send/${integration}`,
    `/v1/templates/constructor/send/${integration}`,
    `/v1/templates/${"9".repeat(90)}/send/${integration}`,
    `/v1/templates/${"a".repeat(5000)}/send/${integration}`,
    `/v1/templates/${template}/send/99999999999999999999`,
    "*",
    "x:443",
    "file:///etc/passwd",
  ];
  return paths.map((target) => ({
    name: `targets: ${target.slice(0, 60)}`,
    bytes: requestText(`POST ${target} HTTP/1.1`, headersOf(options), body),
  }));
}

function confusions(options: RequestsFor): AttackRequest[] {
  const { token, path, body } = options;
  const auth = ["Host: x", `Authorization: Bearer ${token}`];
  const json = headersOf(options);
  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json5",
    "application/jsonx",
    "application/json+x",
    "application/ld+json",
    "text/json",
    "application/xml",
    "application/json, text/plain",
    "text/plain; application/json",
    "application/json\u{0}",
    "*/*",
    "application/*",
    "",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=utf-16",
  ];
  const methods = ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];
  return [
    ...types.map((type) => ({
      name: `types: ${type}`,
      bytes: requestText(`POST ${path} HTTP/1.1`, [...auth, `Content-Type: ${type}`], body),
    })),
    { name: "types: none", bytes: requestText(`POST ${path} HTTP/1.1`, auth, body) },
    ...methods.map((method) => ({
      name: `methods: ${method}`,
      bytes: requestText(`${method} ${path} HTTP/1.1`, json, body),
    })),
    ...["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"].map((name) => ({
      name: `methods: ${name}`,
      bytes: requestText(`GET ${path} HTTP/1.1`, [...json, `${name}: POST`], body),
    })),
    { name: "methods: CONNECT", bytes: requestText("CONNECT x:443 HTTP/1.1", auth) },
    ...["gzip", "deflate", "br", "zstd", "compress", "gzip, identity", "chunked"].map((coding) => ({
      name: `codings: ${coding}`,
      bytes: requestText(`POST ${path} HTTP/1.1`, [...json, `Content-Encoding: ${coding}`], body),
    })),
    {
      name: "upgrade: h2c",
      bytes: requestText("GET /v1/sends/x HTTP/1.1", [
        ...auth,
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__",
      ]),
    },
    {
      name: "upgrade: websocket",
      bytes: requestText("GET /v1/sends/x HTTP/1.1", [
        ...auth,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      ]),
    },
    {
      name: "expect: 100-continue without a token",
      bytes: requestText(`POST ${path} HTTP/1.1`, ["Host: x", "Expect: 100-continue"], body),
    },
    {
      name: "expect: what nobody knows",
      bytes: requestText("GET /v1/sends/x HTTP/1.1", [...auth, "Expect: 200-ok"]),
    },
    {
      name: "trailing: garbage after a request",
      bytes: Buffer.concat([
        requestText("GET /v1/sends/x HTTP/1.1", auth),
        Buffer.from("\u{0}garbage\r\n\r\n"),
      ]),
      mayClose: true,
    },
    {
      name: "trailing: the body of a request that has none",
      bytes: requestText(
        "GET /v1/sends/x HTTP/1.1",
        [...auth, `Content-Length: ${body.length}`],
        body,
      ),
    },
  ];
}
