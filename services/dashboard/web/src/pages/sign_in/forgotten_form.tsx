import { Alert, Anchor, Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { showProblem } from "../../parts/show_outcome.ts";
import { SignInFrame } from "./sign_in_frame.tsx";

/** Sends a link to who has forgotten the password. */
export function ForgottenForm({ email, onBack }: { email: string; onBack: () => void }) {
  const form = useForm({ initialValues: { email } });
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (body: { email: string }) =>
      request("/sign-in/forgotten", { method: "POST", body }),
    onError: showProblem,
  });
  return (
    <SignInFrame
      title="Password forgotten"
      about="A link for a new one is sent to your address, if you have shown that it is yours."
    >
      {isSuccess
        ? (
          <Alert color="teal" role="status">
            If there is a login with this address, a mail is on its way. Its link works for an hour.
          </Alert>
        )
        : (
          <form onSubmit={form.onSubmit((values) => mutate(values))}>
            <Stack>
              <TextInput
                label="E-mail address"
                type="email"
                autoComplete="username"
                required
                withAsterisk={false}
                {...form.getInputProps("email")}
              />
              <Button type="submit" loading={isPending}>Send the link</Button>
            </Stack>
          </form>
        )}
      <Anchor component="button" type="button" size="sm" onClick={onBack}>Back to sign in</Anchor>
    </SignInFrame>
  );
}
