import { Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { Section } from "../../parts/section.tsx";
import { useSession } from "../../session.tsx";
import { AddressForm } from "./address_form.tsx";
import { BrowserList } from "./browser_list.tsx";
import { Leaving } from "./leaving.tsx";
import { NameForm } from "./name_form.tsx";
import { PasswordForm } from "./password_form.tsx";
import { SecondFactor } from "./second_factor.tsx";
import { UnprovenAddress } from "./unproven_address.tsx";

/** The user's own settings. */
export function YouTab() {
  const { user } = useSession();
  const client = useQueryClient();
  const rename = async (name: string) => {
    await request("/you", { method: "PATCH", body: { name } });
    await client.invalidateQueries({ queryKey: ["session"] });
    await client.invalidateQueries({ queryKey: ["members"] });
  };
  return (
    <Stack>
      <Section title="You">
        <Stack>
          <NameForm label="Name" name={user.name} save={rename} done="Name changed" />
          {!user.isProven && <UnprovenAddress email={user.email} />}
          {user.hasPassword ? <AddressForm email={user.email} /> : (
            <TextInput
              label="Email address"
              description="Your sign-in provider sets this address."
              value={user.email}
              readOnly
              variant="filled"
              maw={420}
            />
          )}
        </Stack>
      </Section>
      <Section
        title="Password"
        about={user.hasPassword
          ? "Changing it signs out other browsers."
          : "You have no password here: you sign in at your provider."}
      >
        {user.hasPassword && <PasswordForm email={user.email} />}
      </Section>
      {user.hasPassword && <SecondFactor />}
      <BrowserList />
      <Leaving />
    </Stack>
  );
}
