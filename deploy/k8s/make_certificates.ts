import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const DAYS = "825";
const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Additional names of certificates, beside those in the cluster. */
export interface CertificateOptions {
  /** More names and addresses, as `subjectAltName` writes them: `IP:127.0.0.1`. */
  more?: readonly string[];
}

/**
 * Makes an authority and certificates of broker and database under it, with `openssl`: the Secrets `nats-tls`
 * and `mongodb-tls`, with the keys that cert-manager would give them. The authority's own key is deleted.
 *
 * @throws {Error} There is no openssl, or it fails.
 */
export async function makeCertificates(
  { more = [] }: CertificateOptions = {},
): Promise<Record<"nats-tls" | "mongodb-tls", Record<string, string>>> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-certificates-"));
  const dir = folder.path;
  const name = "/CN=posthaste";
  const ca = ["-keyout", `${dir}/ca.key`, "-out", `${dir}/ca.crt`, "-days", DAYS, "-subj", name];
  await run("openssl", ["req", "-x509", ...KEY, ...ca]);
  const made = await Promise.all(["nats", "mongodb"].map((host) => issue(dir, host, more)));
  return { "nats-tls": made[0] ?? {}, "mongodb-tls": made[1] ?? {} };
}

async function issue(
  dir: string,
  host: string,
  more: readonly string[],
): Promise<Record<string, string>> {
  const names = [host, `${host}.posthaste.svc`, `${host}.posthaste.svc.cluster.local`]
    .flatMap((name, index) => index === 0 ? [`DNS:${name}`] : [`DNS:${name}`, `DNS:*.${name}`]);
  const [key, request, certificate, extensions] = ["key", "csr", "crt", "ext"]
    .map((ending) => join(dir, `${host}.${ending}`)) as [string, string, string, string];
  await writeFile(
    extensions,
    [
      `subjectAltName=${[...names, ...more].join(",")}`,
      "extendedKeyUsage=serverAuth,clientAuth",
      "basicConstraints=CA:FALSE",
    ].join("\n"),
  );
  await run("openssl", ["req", ...KEY, "-keyout", key, "-out", request, "-subj", `/CN=${host}`]);
  const authority = ["-CA", `${dir}/ca.crt`, "-CAkey", `${dir}/ca.key`, "-CAcreateserial"];
  const serial = ["-CAserial", join(dir, `${host}.srl`)];
  const out = ["-out", certificate, "-days", DAYS, "-extfile", extensions];
  await run("openssl", ["x509", "-req", "-in", request, ...authority, ...serial, ...out]);
  const [keyText, text, ca] = await Promise.all(
    [key, certificate, `${dir}/ca.crt`].map((file) => readFile(file, "utf8")),
  ) as [string, string, string];
  return {
    "tls.key": keyText,
    "tls.crt": text,
    "ca.crt": ca,
    "tls-combined.pem": `${keyText}${text}`,
  };
}
