import { Alert, Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { AcceptInput, InvitationOffer } from "../../../../interface/people.ts";
import type { EntranceView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { NewPassword, shortPassword } from "./new_password.tsx";

/** How somebody who is signed out uses an invitation. */
export function JoinForm({ token, offer }: { token: string; offer: InvitationOffer }) {
  const { entry, email, accountName } = offer;
  const isNew = entry === "new";
  const { data: entrance } = useQuery({
    queryKey: ["entrance"],
    queryFn: ({ signal }) => request<EntranceView>("/entrance", { signal }),
  });
  const form = useForm({
    initialValues: { name: "", password: "" },
    validate: {
      name: (name) => isNew && name.trim() === "" ? "Fill this in" : null,
      password: (password) => isNew ? shortPassword(password) : null,
    },
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ name, password }: Required<AcceptInput>) =>
      request(`/entrance/invitation/${encodeURIComponent(token)}`, {
        method: "POST",
        body: isNew ? { name, password } : { password },
      }),
    onSuccess: () => location.assign("/"),
    onError: (problem) => isNew && showIssues(form, problem),
  });
  const oidcName = entrance?.oidcName ?? null;
  return (
    <Stack>
      {oidcName !== null && (
        <Button component="a" href={`/api/entrance/oidc?invitation=${encodeURIComponent(token)}`}>
          Sign in with {oidcName}
        </Button>
      )}
      {oidcName !== null && entry !== "oidc" && <Divider label="or with a password" />}
      {entry === "oidc" && oidcName === null && (
        <Alert color="yellow">
          {email} signs in elsewhere, and no such place is set here: ask whoever runs Posthaste.
        </Alert>
      )}
      {entry !== "oidc" && (
        <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
          <Stack>
            <TextInput
              label="E-mail address"
              value={email}
              readOnly
              variant="filled"
              autoComplete="username"
            />
            {isNew && (
              <TextInput label="Your name" autoComplete="name" {...form.getInputProps("name")} />
            )}
            {isNew ? <NewPassword {...form.getInputProps("password")} /> : (
              <PasswordInput
                label="Your password"
                description="The one that you sign in with here"
                autoComplete="current-password"
                visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
                {...form.getInputProps("password")}
              />
            )}
            {error && !isNew && <Alert color="red" role="alert">{error.message}</Alert>}
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
    </Stack>
  );
}
