import { Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { NewSuppressionInput } from "../../../../interface/suppressions.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showIssues } from "../../parts/form_issues.ts";
import { showDone } from "../../parts/show_outcome.ts";
import { expiryOf } from "../../parts/expiry.ts";
import { ExpiryFields } from "../../parts/expiry_fields.tsx";
import { useListChanged } from "./suppression_queries.ts";

/** Asks for an address that is to get no mail, and until when. */
export function AddAddress({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Suppress an address"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <AddressForm close={close} />
    </Modal>
  );
}

function AddressForm({ close }: { close: () => void }) {
  const changed = useListChanged();
  const form = useForm({
    initialValues: { email: "", expiry: "never", expiresAt: "" },
    validate: {
      email: (email) => email.includes("@") ? null : "Enter an email address",
      expiresAt: (date, { expiry }) => expiry === "date" && date === "" ? "Choose a date" : null,
    },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: NewSuppressionInput) =>
      request<{ added: number }>("/suppressions", { method: "POST", body }),
    onSuccess: async ({ added }, { email }) => {
      showDone(added === 0 ? `The entry of ${email} is replaced` : `${email} gets no mail now`);
      await changed();
      close();
    },
    onError: (error) => showIssues(form, error),
  });
  const submit = form.onSubmit(({ email, expiry, expiresAt }) =>
    mutate({ email: email.trim(), expiresAt: expiryOf(expiry, expiresAt) })
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <TextInput
          label="Address"
          type="email"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("email")}
        />
        <ExpiryFields
          label="Ends"
          expiry={form.values.expiry}
          propsOf={(field) => form.getInputProps(field)}
        />
        <FormButtons cancel={close} submit="Suppress" isPending={isPending} />
      </Stack>
    </form>
  );
}
