import { useForm } from "@mantine/form";
import type { ProbeInput } from "../../../../interface/integrations.ts";
import type { HttpError } from "../../api.ts";
import { capitalize } from "../../parts/capitalize.ts";
import { type FormValues, inputOf, type IntegrationFormState } from "./form_values.ts";

/**
 * Opens the form of an integration; {@linkcode showIssues} shows the server's faults at their
 * fields.
 */
export function useIntegrationForm(initialValues: FormValues): IntegrationFormState {
  return useForm<FormValues>({ initialValues });
}

/**
 * Shows the interface's faults at their fields, and focuses the first. Returns whether they are
 * visible there: the field may be folded away.
 */
export function showIssues(
  form: IntegrationFormState,
  issues: HttpError["issues"],
): boolean {
  const entries = issues.map(({ path, message }) => {
    const [field = ""] = path.replace(/^settings\./, "").replace(/^oauth\./, "").split(".");
    return [FIELD_OF[field] ?? field, capitalize(message)] as const;
  });
  if (entries.length === 0) return false;
  form.setErrors(Object.fromEntries(entries));
  const [first = ""] = entries[0] ?? [];
  const field = document.querySelector<HTMLElement>(`[data-path="${first}"]`);
  field?.focus();
  return field !== null && field.checkVisibility();
}

const FIELD_OF: Readonly<Record<string, string>> = { sender: "senders" };

/** Returns the form's values that testing the server needs. */
export function probeInputOf(values: FormValues, id?: number): ProbeInput {
  const { host, port, tls, ca, allowInvalidCertificate, ...login } = inputOf(values);
  const { user, authMethod, password, oauth } = login;
  const [sender] = values.senders;
  return {
    ...(id === undefined ? {} : { id }),
    settings: {
      ...{ host, port, tls, ca, allowInvalidCertificate, user, authMethod, oauth },
      ...(password === undefined ? {} : { password }),
    },
    ...(sender === undefined ? {} : { sender }),
  };
}
