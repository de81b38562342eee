import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { CommandError, usageError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates in a PEM file. Other content, such as comments, is left out.
 *
 * @throws {CommandError} If there are none, one cannot be read, or there is a private key.
 */
export async function readCertificates(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw usageError(`Cannot read the certificates in "${file}": ${error.message}`);
  });
  const refuse = (reason: string) =>
    new CommandError(`Cannot use the certificates in "${file}": ${reason}`, {
      exitCode: EXIT.refused,
    });
  if (text.includes("PRIVATE KEY-----")) {
    throw refuse("the file contains a private key; remove it");
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw refuse("the file contains no PEM certificate");
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch {
      throw refuse("a certificate cannot be read");
    }
  }
  return `${certificates.join("\n")}\n`;
}
