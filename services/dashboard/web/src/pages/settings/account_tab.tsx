import { Alert, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { SignInView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { CopyCode, CopyText } from "../../parts/copy_text.tsx";
import { Section } from "../../parts/section.tsx";
import { useMay, useSession } from "../../session.tsx";
import { NameForm } from "./name_form.tsx";
import { SecondFactorRule } from "./second_factor_rule.tsx";

/** Shows the account's name, and creates another account. */
export function AccountTab() {
  const { account, apiUrl } = useSession();
  const isOwner = useMay("owner");
  const client = useQueryClient();
  const rename = async (name: string) => {
    await request("/account", { method: "PATCH", body: { name } });
    await client.invalidateQueries({ queryKey: ["session"] });
  };
  const create = async (name: string) => {
    await request("/accounts", { method: "POST", body: { name } });
    // All loaded data belongs to the previous account.
    location.assign("/");
  };
  return (
    <Stack>
      <Section
        title="Account"
        about={isOwner ? "Members see this name." : "Only owners can change this."}
      >
        <NameForm
          key={account.id}
          label="Name"
          name={account.name}
          save={rename}
          done="Account renamed"
          readOnly={!isOwner}
        />
        <Group gap={4} mt="xs" wrap="nowrap">
          <Text size="xs" c="dimmed" flex="none">Account id</Text>
          <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>{account.id}</Text>
          <CopyText text={account.id} label="Copy the account's id" />
        </Group>
      </Section>
      {isOwner && <NoSystemMail />}
      {isOwner && <SecondFactorRule />}
      <Section title="HTTP interface" about="Programs send requests to this address with a token.">
        <CopyCode code={apiUrl} label="Copy the address" />
      </Section>
      {isOwner && (
        <Section
          title="Another account"
          about="It has its own templates, integrations, tokens and members. You become its owner."
        >
          <NameForm
            label="Name of the new account"
            name=""
            save={create}
            done="Account created"
            button="Create"
          />
        </Section>
      )}
    </Stack>
  );
}

/** Reports to owners that the operator has configured no account for system mail. */
function NoSystemMail() {
  const { data } = useQuery({
    queryKey: ["sign-in"],
    queryFn: ({ signal }) => request<SignInView>("/sign-in", { signal }),
  });
  if (data?.sendsMail !== false) return null;
  return (
    <Alert color="yellow" title="This installation sends no mail of its own">
      You must pass on invitation links yourself. People cannot verify an address or reset a
      password by mail, and there are no notices about new sign-ins, tokens or suspended
      integrations. The operator can enable this with SYSTEM_ACCOUNT.
    </Alert>
  );
}
