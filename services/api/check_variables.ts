import {
  type EmailVersion,
  inLocale,
  type Issue,
  type PdfRef,
  type PdfVersion,
  type Variables,
} from "@posthaste/contracts";
import { pathOf } from "@posthaste/http";
import { MAX_ISSUES } from "./fault.ts";
import type { ReadableRecipient, ReadableSend } from "./read_send_body.ts";
import { type FindVariableFaults, openVariableNeeds } from "./variable_needs.ts";

/** The template versions that a send uses. */
export interface SendVersions {
  email: EmailVersion;
  /** By id or alias, as the request names them. */
  pdfs: ReadonlyMap<PdfRef, PdfVersion>;
}

/**
 * Finds the variables that templates require and a send lacks, and those that cannot be printed,
 * for every mail and every attachment, in the precedence of docs/interface.md, section 4.2. A level
 * of variables that is faulty itself is not checked for missing ones.
 */
export function findVariableFaults(send: ReadableSend, versions: SendVersions): Issue[] {
  const faults: Issue[] = [];
  if (send.variables === null || !hasRequirements(versions)) return faults;
  const find = openVariableNeeds(send.variables);
  for (const [index, recipient] of send.to.entries()) {
    if (faults.length >= MAX_ISSUES) break;
    if (recipient.variables === null) continue;
    const locale = recipient.locale ?? send.locale;
    faults.push(...checkRecipient(recipient, { index, versions, locale }, find));
  }
  return faults;
}

/** Finds the variables of a render request that are missing, or cannot be printed. */
export function findFaultsForRender(
  version: EmailVersion | PdfVersion,
  variables: Variables,
): Issue[] {
  const what = say(version.kind === "pdf" ? "PDF template" : "email template", version);
  const { missing, unprintable } = openVariableNeeds(variables)(version, {});
  return [
    ...missing.map((name): Issue => ({
      path: pathOf([name]),
      code: "missing_variable",
      message: `is required by ${what}`,
    })),
    ...unprintable.map((path): Issue => ({
      path: pathOf([path]),
      code: "unprintable_variable",
      message: `must be a text or a number: ${what} prints it`,
    })),
  ];
}

interface Place {
  index: number;
  versions: SendVersions;
  /** The language of the mail. */
  locale: string | undefined;
}

function checkRecipient(
  { variables, attachments = [] }: ReadableRecipient,
  { index, versions, locale }: Place,
  find: FindVariableFaults,
): Issue[] {
  const who = `recipient ${index}`;
  const email = inLocale(versions.email, locale);
  const own = { recipient: variables };
  const found = find(email, own);
  const faults = found.missing.map((name) =>
    faultAt(
      ["to", index, "variables", name],
      `variable "${name}" is missing for ${who}: ${say("email template", email)} requires it`,
    )
  );
  for (const path of found.unprintable) {
    const place = ["to", index, "variables", path];
    faults.push(unprintableAt(place, `for ${who}: ${say("email template", email)}`));
  }
  for (const [position, attachment] of attachments.entries()) {
    const pdf = attachment === null ? undefined : versions.pdfs.get(attachment.id);
    if (attachment === null || attachment.variables === null || pdf === undefined) continue;
    const version = inLocale(pdf, locale);
    const what = `attachment ${position} of ${who}`;
    const lacking = find(version, { ...own, attachment: attachment.variables });
    for (const name of lacking.missing) {
      faults.push(faultAt(
        ["to", index, "attachments", position, "variables", name],
        `variable "${name}" is missing for ${what}: ${say("PDF template", version)} requires it`,
      ));
    }
    for (const path of lacking.unprintable) {
      const place = ["to", index, "attachments", position, "variables", path];
      faults.push(unprintableAt(place, `for ${what}: ${say("PDF template", version)}`));
    }
  }
  return faults;
}

function unprintableAt(path: readonly PropertyKey[], where: string): Issue {
  const message = `must be a text or a number ${where} prints it`;
  return { path: pathOf(path), code: "unprintable_variable", message };
}

function hasRequirements({ email, pdfs }: SendVersions): boolean {
  return [email, ...pdfs.values()].some(({ variables, reads, variants = {} }) => {
    const bodies: Pick<EmailVersion, "reads">[] = [{ reads }, ...Object.values(variants)];
    return variables.some(({ required }) => required) ||
      bodies.some((body) => body.reads?.some(({ always }) => always));
  });
}

function faultAt(path: readonly PropertyKey[], message: string): Issue {
  return { path: pathOf(path), code: "missing_variable", message };
}

function say(kind: string, { templateId, name }: EmailVersion | PdfVersion): string {
  return `${kind} ${templateId} ("${name}")`;
}
