import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { MIN_PASSWORD } from "@posthaste/contracts";

/** Returns whether a password is long enough, as the fault of a field. */
export function shortPassword(password: string): string | null {
  return [...password].length < MIN_PASSWORD ? `At least ${MIN_PASSWORD} characters` : null;
}

/** The field for a new password. */
export function NewPassword(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="Password"
      description={`At least ${MIN_PASSWORD} characters; several words are easy to remember`}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
      required
      withAsterisk={false}
      {...props}
    />
  );
}
