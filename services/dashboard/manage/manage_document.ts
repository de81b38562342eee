import {
  draftSourceSchema,
  FEED_EVENT_TYPES,
  type InterfaceForm,
  type JsonObject,
  openApiOf,
  scopesText,
} from "@posthaste/contracts";
import { z } from "zod";
import {
  DASHBOARD_ERROR_STATUS,
  type DashboardErrorCode,
  type ErrorBody,
} from "../interface/error_code.ts";
import { tokenViewSchema } from "./account_answers.ts";
import { oauthInputSchema } from "../oauth_input.ts";
import { sourceSchema } from "../templates/template_input.ts";
import { ACCOUNT_ENDPOINTS } from "./account_endpoints.ts";
import type { ManageEndpoint } from "./endpoint.ts";
import { integrationViewSchema, webhookViewSchema } from "./integration_answers.ts";
import { INTEGRATION_ENDPOINTS } from "./integration_endpoints.ts";
import {
  assetViewSchema,
  partialViewSchema,
  previewViewSchema,
  templateViewSchema,
} from "./template_answers.ts";
import { TEMPLATE_ENDPOINTS } from "./template_endpoints.ts";

/** All endpoints of the interface for management. A new one belongs in the list of its subject. */
export const MANAGE_ENDPOINTS: readonly ManageEndpoint[] = [
  {
    ...{ method: "GET", path: "/manage/v1/openapi.json", operation: "getOpenApi", scopes: [] },
    summary: "Returns the OpenAPI document of this interface",
    about: "this interface as an [OpenAPI 3.1 document](manage_openapi.json)",
    answer: z.looseObject({ openapi: z.string() }),
    revalidates: true,
  },
  ...TEMPLATE_ENDPOINTS,
  ...INTEGRATION_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
];

/** Schema of the body of every error but 401. */
const manageErrorSchema = z.strictObject({
  error: z.string(),
  code: z.enum(Object.keys(DASHBOARD_ERROR_STATUS) as DashboardErrorCode[]),
  issues: z.array(z.strictObject({ path: z.string(), message: z.string() })).exactOptional(),
}) satisfies z.ZodType<ErrorBody>;

/** What all endpoints of the interface for management have in common. */
export const MANAGE_FORM: InterfaceForm<DashboardErrorCode> = {
  ...{ title: "Posthaste management", version: "1" },
  ...{ statuses: DASHBOARD_ERROR_STATUS, error: manageErrorSchema },
  common: [
    ...["invalid_request", "unauthenticated", "missing_scope", "request_timeout"] as const,
    ...["too_many_requests", "headers_too_large", "internal", "unavailable"] as const,
  ],
  answers: {
    ...{ Template: templateViewSchema, TemplateSource: draftSourceSchema },
    ...{ Preview: previewViewSchema, Partial: partialViewSchema, Asset: assetViewSchema },
    ...{ Integration: integrationViewSchema, Webhook: webhookViewSchema, Token: tokenViewSchema },
    FeedEventType: z.enum(FEED_EVENT_TYPES),
  },
  inputs: {
    ...{ TemplateSourceInput: sourceSchema, OauthInput: oauthInputSchema },
  },
  ofBodies: ["payload_too_large", "unsupported_media_type"],
};

/** Returns the OpenAPI document of the interface for management. */
export function manageDocument(): JsonObject {
  return openApiOf(MANAGE_ENDPOINTS, MANAGE_FORM);
}

/** Returns the table of endpoints for docs/manage.md. */
export function manageTable(): string {
  const rows = MANAGE_ENDPOINTS.map(({ method, path, scopes, summary, about }) => {
    const text = about ?? `${summary.slice(0, 1).toLowerCase()}${summary.slice(1)}`;
    return `| \`${method} ${path.slice("/manage/v1".length)}\` | ${scopesText(scopes)} | ${text} |`;
  });
  return ["| route | scopes | |", "| --- | --- | --- |", ...rows].join("\n");
}
