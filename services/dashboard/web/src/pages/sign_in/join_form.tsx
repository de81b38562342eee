import { Alert, Anchor, Button, Divider, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { AcceptInput, InvitationOffer } from "../../../../interface/people.ts";
import type { SignInView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { NewPassword, shortPassword } from "./new_password.tsx";

/** Accepts an invitation while signed out: at the provider, or with a new login. */
export function JoinForm({ token, offer }: { token: string; offer: InvitationOffer }) {
  const { email, accountName, isMailed } = offer;
  const { data: view } = useQuery({
    queryKey: ["sign-in"],
    queryFn: ({ signal }) => request<SignInView>("/sign-in", { signal }),
  });
  const form = useForm({
    initialValues: { name: "", password: "" },
    validate: {
      name: (name) => name.trim() === "" ? "Required" : null,
      password: shortPassword,
    },
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: AcceptInput) =>
      request(`/sign-in/invitation/${encodeURIComponent(token)}`, { method: "POST", body }),
    onSuccess: () => location.assign("/"),
    onError: (error) => showIssues(form, error),
  });
  const oidcName = view?.oidcName ?? null;
  const hasPasswords = view?.hasPasswords ?? true;
  return (
    <Stack>
      {oidcName !== null && (
        <>
          <Button component="a" href={`/api/sign-in/oidc?invitation=${encodeURIComponent(token)}`}>
            Sign in with {oidcName}
          </Button>
          {hasPasswords && <Divider label="or with a new password" />}
        </>
      )}
      {hasPasswords && (
        <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
          <Stack>
            <TextInput
              label="Email address"
              value={email}
              readOnly
              variant="filled"
              autoComplete="username"
            />
            <TextInput label="Your name" autoComplete="name" {...form.getInputProps("name")} />
            <NewPassword {...form.getInputProps("password")} />
            {!isMailed && (
              <Text size="sm" c="dimmed">
                This login works for {accountName} only, until you verify that {email}{" "}
                is your address.
              </Text>
            )}
            {error && <Alert color="red" role="alert">{error.message}</Alert>}
            <Button
              type="submit"
              loading={isPending}
              variant={oidcName === null ? "filled" : "default"}
            >
              Join {accountName}
            </Button>
          </Stack>
        </form>
      )}
      <Text size="sm" c="dimmed">
        Do you already have a login here?{" "}
        <Anchor href="/" size="sm" underline="always">Sign in</Anchor> and open this link again.
      </Text>
    </Stack>
  );
}
