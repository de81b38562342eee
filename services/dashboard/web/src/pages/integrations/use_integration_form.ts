import { useForm } from "@mantine/form";
import type { ProbeInput } from "../../../../interface/integrations.ts";
import type { HttpError } from "../../api.ts";
import { type FormValues, inputOf, type IntegrationFormState } from "./form_values.ts";

/** The form of an integration; the server's faults come to their fields by {@linkcode showIssues}. */
export function useIntegrationForm(initialValues: FormValues): IntegrationFormState {
  return useForm<FormValues>({ initialValues });
}

/**
 * Shows faults that the interface found at the fields that they are about, and leads to the first.
 * Returns whether they are visible there: the field may be folded away.
 */
export function showIssues(
  form: IntegrationFormState,
  issues: HttpError["issues"],
): boolean {
  const entries = issues.map(({ path, message }) => {
    const [field = ""] = path.replace(/^settings\./, "").split(".");
    return [FIELD_OF[field] ?? field, `${sentence(message)}`] as const;
  });
  if (entries.length === 0) return false;
  form.setErrors(Object.fromEntries(entries));
  const [first = ""] = entries[0] ?? [];
  const field = document.querySelector<HTMLElement>(`[data-path="${first}"]`);
  field?.focus();
  return field !== null && field.checkVisibility();
}

const FIELD_OF: Readonly<Record<string, string>> = { sender: "senders" };

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** Takes out of the form what is needed to try the server. */
export function probeInputOf(values: FormValues, id?: number): ProbeInput {
  const { host, port, tls, ca, allowInvalidCertificate, user, authMethod, password } = inputOf(
    values,
  );
  const [sender] = values.senders;
  return {
    ...(id === undefined ? {} : { id }),
    settings: {
      ...{ host, port, tls, ca, allowInvalidCertificate, user, authMethod },
      ...(password === undefined ? {} : { password }),
    },
    ...(sender === undefined ? {} : { sender }),
  };
}
