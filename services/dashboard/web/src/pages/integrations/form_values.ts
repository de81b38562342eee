import type { useForm } from "@mantine/form";
import type {
  IntegrationInput,
  IntegrationSettingsView,
} from "../../../../interface/integrations.ts";
import { NEW_OAUTH, oauthInputOf, type OauthValues, oauthValuesOf } from "./oauth_values.ts";

/** The values of the form, as typed. */
export interface FormValues extends OauthValues {
  name: string;
  host: string;
  port: number | string;
  tls: IntegrationInput["tls"];
  hasLogin: boolean;
  user: string;
  password: string;
  authMethod: "" | "PLAIN" | "LOGIN";
  senders: string[];
  ca: string;
  allowInvalidCertificate: boolean;
  maxConnections: number | string;
  maxPerMinute: number | string;
  retryForMs: string;
  whenUnknown: IntegrationInput["whenUnknown"];
  /** Ids, as a select has them. */
  fallbacks: string[];
}

/** The initial values of a new integration. */
export const NEW_VALUES: FormValues = {
  ...{ name: "", host: "", port: 587, tls: "starttls", hasLogin: true, user: "", password: "" },
  ...{ authMethod: "", senders: [], ca: "", allowInvalidCertificate: false },
  ...{ maxConnections: 5, maxPerMinute: "", retryForMs: "172800000", whenUnknown: "retry" },
  fallbacks: [],
  ...NEW_OAUTH,
};

/** Converts stored settings to the form's values. */
export function valuesOf(settings: IntegrationSettingsView): FormValues {
  const { user, authMethod, ca, maxPerMinute, retryForMs, fallbacks, oauth, ...rest } = settings;
  return {
    ...rest,
    ...oauthValuesOf(oauth),
    hasLogin: user !== null,
    user: user ?? "",
    password: "",
    authMethod: authMethod ?? "",
    ca: ca ?? "",
    maxPerMinute: maxPerMinute ?? "",
    retryForMs: String(retryForMs),
    fallbacks: fallbacks.map(String),
  };
}

/** Converts the form's values to the interface's input. */
export function inputOf(values: FormValues): IntegrationInput {
  const { hasLogin, user, password, authMethod, ca, port, maxConnections, ...rest } = values;
  const { login, provider: _p, tenant: _t, clientId: _c, clientSecret: _s, ...more } = rest;
  const { hasClientSecret: _h, keyFile: _k, ...set } = more;
  const { maxPerMinute, retryForMs, fallbacks, ...others } = set;
  const isByPassword = hasLogin && login === "password";
  return {
    ...others,
    port: Number(port),
    ca: ca.trim() === "" ? null : ca,
    user: hasLogin ? user : null,
    authMethod: isByPassword && authMethod !== "" ? authMethod : null,
    ...(isByPassword && password !== "" ? { password } : {}),
    oauth: hasLogin ? oauthInputOf(values) : null,
    maxConnections: Number(maxConnections),
    maxPerMinute: maxPerMinute === "" ? null : Number(maxPerMinute),
    retryForMs: Number(retryForMs),
    fallbacks: fallbacks.map(Number),
  };
}

/** The form, as Mantine gives it. */
export type IntegrationFormState = ReturnType<typeof useForm<FormValues>>;
