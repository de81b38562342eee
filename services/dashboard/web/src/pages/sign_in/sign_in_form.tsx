import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { TbAlertTriangle } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { LoginInput, LoginView, SecondFactorWays } from "../../../../interface/people.ts";
import type { OidcFault, SignInView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { showError } from "../../parts/show_outcome.ts";
import { EmailField } from "./email_field.tsx";
import { SignInFrame } from "./sign_in_frame.tsx";
import { ForgottenForm } from "./forgotten_form.tsx";
import { SecondFactorForm } from "./second_factor_form.tsx";

const REFUSED: Record<OidcFault, string> = {
  not_member: "You are not a member of any account. Ask an owner to invite your email address.",
  unverified: "Your provider has not verified your email address. Verify it there, then try again.",
  provider: "Your provider could not be reached or did not confirm your identity. Try again.",
  expired: "The sign-in took longer than ten minutes or started in another browser. Try again.",
};

/** Signs people in: by password, at the provider, or with one click in a demonstration. */
export function SignInForm({ view }: { view: SignInView }) {
  const { demoAccount, oidcName } = view;
  const [isForgotten, setForgotten] = useState(false);
  const [ways, setWays] = useState<SecondFactorWays | null>(null);
  const client = useQueryClient();
  const refused = new URLSearchParams(location.search).get("refused");
  const why = refused !== null && refused in REFUSED ? REFUSED[refused as OidcFault] : null;
  const form = useForm<LoginInput>({ initialValues: { email: "", password: "" } });
  const signedIn = async () => {
    history.replaceState(null, "", location.pathname);
    await client.resetQueries({ queryKey: ["session"] });
  };
  const login = useMutation({
    mutationFn: (body: LoginInput) =>
      request<LoginView>("/sign-in/login", { method: "POST", body }),
    onSuccess: async ({ second }) => second === null ? await signedIn() : setWays(second),
  });
  const demo = useMutation({
    mutationFn: () => request("/sign-in/demo", { method: "POST" }),
    onSuccess: signedIn,
    onError: showError,
  });
  if (isForgotten) {
    return <ForgottenForm email={form.values.email} onBack={() => setForgotten(false)} />;
  }
  if (ways !== null) {
    return (
      <SecondFactorForm
        ways={ways}
        onSignedIn={signedIn}
        onAgain={() => {
          form.reset();
          setWays(null);
        }}
      />
    );
  }
  const isElsewhere = demoAccount !== null || oidcName !== null;
  return (
    <SignInFrame title="Sign in">
      {why && (
        <Alert
          color="red"
          icon={<TbAlertTriangle size={20} />}
          title="You were not signed in"
          role="alert"
        >
          {why}
        </Alert>
      )}
      {isElsewhere && (
        <Stack gap="xs">
          {demoAccount !== null && (
            <Button loading={demo.isPending} onClick={() => demo.mutate()}>
              Open the account {demoAccount}
            </Button>
          )}
          {oidcName !== null && (
            <Button
              component="a"
              href="/api/sign-in/oidc"
              variant={demoAccount === null ? "filled" : "default"}
            >
              Sign in with {oidcName}
            </Button>
          )}
          {view.hasPasswords && <Divider label="or with a password" mt="xs" />}
        </Stack>
      )}
      {view.hasPasswords && (
        <form onSubmit={form.onSubmit((values) => login.mutate(values))}>
          <Stack>
            <EmailField {...form.getInputProps("email")} />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
              required
              withAsterisk={false}
              {...form.getInputProps("password")}
            />
            {login.error && (
              <Alert color="red" icon={<TbAlertTriangle size={20} />} role="alert">
                {login.error.message}
              </Alert>
            )}
            <Button
              type="submit"
              variant={isElsewhere ? "default" : "filled"}
              loading={login.isPending}
            >
              Sign in
            </Button>
            {view.sendsMail
              ? (
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  onClick={() => setForgotten(true)}
                >
                  Forgot password?
                </Anchor>
              )
              : (
                <Text size="xs" c="dimmed">
                  If you forgot your password, ask the operator to set a new one.
                </Text>
              )}
          </Stack>
        </form>
      )}
    </SignInFrame>
  );
}
