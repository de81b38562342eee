import { z } from "zod";
import {
  auditQuerySchema,
  forgetSchema,
  languageInputSchema,
  retentionInputSchema,
  suppressionInputSchema,
} from "../account_input.ts";
import { newTokenSchema, rollSchema } from "../token_input.ts";
import {
  accountViewSchema,
  auditPageSchema,
  forgottenSchema,
  newTokenViewSchema,
  tokenViewSchema,
} from "./account_answers.ts";
import { EMPTY, type ManageEndpoint } from "./endpoint.ts";

const LINES = {
  answer: z.unknown().meta({ type: "string", contentMediaType: "application/jsonl" }),
  mediaType: "application/jsonl",
} as const;

const ACCOUNT: readonly ManageEndpoint[] = [
  {
    ...{ method: "GET", path: "/manage/v1/tokens", scopes: ["manage:tokens"] },
    operation: "listTokens",
    summary: "Lists tokens",
    answer: z.array(tokenViewSchema),
  },
  {
    ...{ method: "POST", path: "/manage/v1/tokens", scopes: ["manage:tokens"] },
    operation: "createToken",
    summary: "Creates a token",
    about: "creates one: `{name, scopes, expiresAt, limits}`: see [above](#what-only-people-do)",
    body: newTokenSchema,
    codes: ["people_only", "conflict", "name_taken"],
    answer: newTokenViewSchema,
  },
  {
    ...{ method: "POST", path: "/manage/v1/tokens/{tokenId}/roll", scopes: ["manage:tokens"] },
    operation: "rollToken",
    summary: "Replaces a token",
    about: "replaces one; the old one still works for `{overlapHours}`",
    body: rollSchema,
    codes: ["people_only", "not_found", "conflict"],
    answer: newTokenViewSchema,
  },
  {
    ...{ method: "POST", path: "/manage/v1/tokens/{tokenId}/revoke", scopes: ["manage:tokens"] },
    operation: "revokeToken",
    summary: "Revokes a token, and the tokens that it has made",
    about: "revokes one, and the tokens that it has made",
    codes: ["not_found"],
    answer: EMPTY,
  },
  {
    ...{ method: "GET", path: "/manage/v1/account", scopes: ["manage:account"] },
    operation: "getAccount",
    summary: "Returns the account and its settings",
    about: "id, name, retention, `suppressRefused`, `locale`",
    answer: accountViewSchema,
  },
  {
    ...{ method: "PUT", path: "/manage/v1/account/suppression", scopes: ["manage:account"] },
    operation: "changeSuppression",
    summary: "Sets whether addresses whose mailbox does not exist are suppressed",
    about:
      "`{suppressRefused}`: whether addresses whose mailbox does not exist go on the [suppression list](http.md#suppressions)",
    body: suppressionInputSchema,
    answer: EMPTY,
  },
  {
    ...{ method: "PUT", path: "/manage/v1/account/language", scopes: ["manage:account"] },
    operation: "changeLanguage",
    summary: "Sets the language of mails whose request names none",
    about:
      "`{locale}`: the [language](templates.md#languages) of mails whose request names none; null for that of each template",
    body: languageInputSchema,
    answer: EMPTY,
  },
  {
    ...{ method: "PUT", path: "/manage/v1/account/retention", scopes: ["manage:account"] },
    operation: "changeRetention",
    summary: "Shortens the retention of content",
    about: "shortens the retention of content: `{contentDays}`",
    body: retentionInputSchema,
    codes: ["people_only"],
    answer: EMPTY,
  },
  {
    ...{ method: "POST", path: "/manage/v1/recipients/forget", scopes: ["manage:account"] },
    operation: "forgetRecipient",
    summary: "Removes what is stored about a recipient",
    about:
      "removes [what is stored about a recipient](operations.md#deleting-a-persons-data): `{email, auditAfter}`; heavy",
    body: forgetSchema,
    answer: forgottenSchema,
  },
  {
    ...{ method: "GET", path: "/manage/v1/audit", scopes: ["manage:account"] },
    operation: "listAudit",
    summary: "Returns a page of the audit log, newest first",
    about:
      "a page of the audit log, newest first: `lines` and `next`. Give `next` as `before` for the next page",
    query: auditQuerySchema,
    answer: auditPageSchema,
  },
  {
    ...{ method: "GET", path: "/manage/v1/audit/export", scopes: ["manage:account"] },
    operation: "exportAudit",
    summary: "Returns the whole audit log, one JSON object for each line",
    about: "the whole audit log, one JSON object for each line",
    ...LINES,
  },
];

/** Endpoints of tokens and of the account. */
export const ACCOUNT_ENDPOINTS: readonly ManageEndpoint[] = [...ACCOUNT];
