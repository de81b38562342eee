import type { useForm } from "@mantine/form";
import type {
  IntegrationInput,
  IntegrationSettingsView,
} from "../../../../interface/integrations.ts";

/** The values of the form, as typed. */
export interface FormValues {
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
};

/** Converts stored settings to the form's values. */
export function valuesOf(settings: IntegrationSettingsView): FormValues {
  const { user, authMethod, ca, maxPerMinute, retryForMs, fallbacks, ...rest } = settings;
  return {
    ...rest,
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
  const { maxPerMinute, retryForMs, fallbacks, ...others } = rest;
  return {
    ...others,
    port: Number(port),
    ca: ca.trim() === "" ? null : ca,
    user: hasLogin ? user : null,
    authMethod: authMethod === "" ? null : authMethod,
    ...(hasLogin && password !== "" ? { password } : {}),
    maxConnections: Number(maxConnections),
    maxPerMinute: maxPerMinute === "" ? null : Number(maxPerMinute),
    retryForMs: Number(retryForMs),
    fallbacks: fallbacks.map(Number),
  };
}

/** The form, as Mantine gives it. */
export type IntegrationFormState = ReturnType<typeof useForm<FormValues>>;
