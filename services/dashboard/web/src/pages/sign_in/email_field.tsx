import { TextInput, type TextInputProps } from "@mantine/core";

/** The required field for the email address of a login, filled in by the browser's password manager. */
export function EmailField(props: TextInputProps) {
  return (
    <TextInput
      label="Email address"
      type="email"
      autoComplete="username"
      required
      withAsterisk={false}
      {...props}
    />
  );
}
