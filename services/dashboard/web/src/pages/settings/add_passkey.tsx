import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { modals } from "@mantine/modals";
import { startRegistration } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import type { SecondFactorAdded } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { showError } from "../../parts/show_outcome.ts";

type PasskeyOptions = Parameters<typeof startRegistration>[0]["optionsJSON"];

const PATH = "/you/second-factor/passkeys";

/** A button that adds a passkey. */
export function AddPasskey({ onAdded }: { onAdded: (answer: SecondFactorAdded) => Promise<void> }) {
  const open = () =>
    modals.open({
      title: "Add a passkey",
      closeButtonProps: { "aria-label": "Close" },
      children: <PasskeyForm onAdded={onAdded} />,
    });
  return <Button variant="default" onClick={open}>Add a passkey</Button>;
}

function PasskeyForm({ onAdded }: { onAdded: (answer: SecondFactorAdded) => Promise<void> }) {
  const form = useForm({
    initialValues: { name: "" },
    validate: { name: (text) => text.trim() === "" ? "Required" : null },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ name }: { name: string }) => {
      const optionsJSON = await request<PasskeyOptions>(`${PATH}/options`, { method: "POST" });
      const response = await startRegistration({ optionsJSON });
      return await request<SecondFactorAdded>(PATH, { method: "POST", body: { name, response } });
    },
    onSuccess: onAdded,
    onError: (error) =>
      error.name === "NotAllowedError"
        ? showError("No passkey was created")
        : showIssues(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
      <Stack>
        <Text size="sm">
          Your browser asks where to store it: on this device, on a phone, or on a security key.
        </Text>
        <TextInput
          label="Name"
          description="To recognize it, such as “Laptop” or “Blue key”"
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Button type="submit" loading={isPending}>Continue</Button>
      </Stack>
    </form>
  );
}
