import type {
  EmailVersion,
  Issue,
  PdfRef,
  PdfVersion,
  VariableDeclaration,
  Variables,
} from "@posthaste/contracts";
import { pathOf } from "@posthaste/http";
import { mergeVariables, missingVariables } from "@posthaste/templating";
import { MAX_ISSUES } from "./fault.ts";
import type { ReadableRecipient, ReadableSend } from "./read_send_body.ts";

/** The template versions that a send is made of. */
export interface SendVersions {
  email: EmailVersion;
  /** By id or alias, as the request names them. */
  pdfs: ReadonlyMap<PdfRef, PdfVersion>;
}

/**
 * Finds the variables that templates require and a send does not give, for every mail and every
 * attachment, in the precedence of docs/interface.md, section 4.2. Where a level of variables has faults
 * itself, nothing is said about what it may lack.
 */
export function findMissingVariables(send: ReadableSend, versions: SendVersions): Issue[] {
  const faults: Issue[] = [];
  if (send.variables === null || !hasRequirements(versions)) return faults;
  for (const [index, recipient] of send.to.entries()) {
    if (faults.length >= MAX_ISSUES) break;
    if (recipient.variables === null) continue;
    faults.push(...checkRecipient(send.variables, recipient, { index, versions }));
  }
  return faults;
}

/** Finds the variables that an email template requires and a render request does not give. */
export function findMissingForRender(version: EmailVersion, variables: Variables): Issue[] {
  return missingVariables(version.variables, variables).map((name) => ({
    path: pathOf([name]),
    code: "missing_variable",
    message: `is required by ${say("email template", version)}`,
  }));
}

interface Place {
  index: number;
  versions: SendVersions;
}

function checkRecipient(
  top: Variables | undefined,
  { variables, attachments = [] }: ReadableRecipient,
  { index, versions }: Place,
): Issue[] {
  const who = `recipient ${index}`;
  const own = variables ?? {};
  const faults = missing(versions.email.variables, [top, own]).map((name) =>
    faultAt(
      ["to", index, "variables", name],
      `variable "${name}" is missing for ${who}: ${
        say("email template", versions.email)
      } requires it`,
    )
  );
  for (const [position, attachment] of attachments.entries()) {
    const version = attachment === null ? undefined : versions.pdfs.get(attachment.id);
    if (attachment === null || attachment.variables === null || version === undefined) continue;
    const what = `attachment ${position} of ${who}`;
    for (const name of missing(version.variables, [top, own, attachment.variables])) {
      faults.push(faultAt(
        ["to", index, "attachments", position, "variables", name],
        `variable "${name}" is missing for ${what}: ${say("PDF template", version)} requires it`,
      ));
    }
  }
  return faults;
}

function missing(
  declared: readonly VariableDeclaration[],
  levels: (Variables | undefined)[],
): string[] {
  if (!declared.some(({ required }) => required)) return [];
  return missingVariables(declared, mergeVariables(...levels));
}

function hasRequirements({ email, pdfs }: SendVersions): boolean {
  return [email, ...pdfs.values()].some(({ variables }) =>
    variables.some(({ required }) => required)
  );
}

function faultAt(path: readonly PropertyKey[], message: string): Issue {
  return { path: pathOf(path), code: "missing_variable", message };
}

function say(kind: string, { templateId, name }: EmailVersion | PdfVersion): string {
  return `${kind} ${templateId} ("${name}")`;
}
