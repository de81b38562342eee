import { Alert, Anchor, Button, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { showError } from "../../parts/show_outcome.ts";
import { EmailField } from "./email_field.tsx";
import { SignInFrame } from "./sign_in_frame.tsx";

/** Requests a link for a forgotten password. */
export function ForgottenForm({ email, onBack }: { email: string; onBack: () => void }) {
  const form = useForm({ initialValues: { email } });
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (body: { email: string }) =>
      request("/sign-in/forgotten", { method: "POST", body }),
    onError: showError,
  });
  return (
    <SignInFrame
      title="Reset password"
      about="If your address is verified, we send you a link to set a new password."
    >
      {isSuccess
        ? (
          <Alert color="teal" role="status">
            If this address has a login, we have sent a link to it. The link works for one hour.
          </Alert>
        )
        : (
          <form onSubmit={form.onSubmit((values) => mutate(values))}>
            <Stack>
              <EmailField {...form.getInputProps("email")} />
              <Button type="submit" loading={isPending}>Send the link</Button>
            </Stack>
          </form>
        )}
      <Anchor component="button" type="button" size="sm" onClick={onBack}>Back to sign in</Anchor>
    </SignInFrame>
  );
}
