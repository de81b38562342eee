import { Alert, Button, Code, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SecondFactorAdded, SecondFactorView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { confirmAction } from "../../parts/confirm.tsx";
import { CopyText } from "../../parts/copy_text.tsx";
import { RowAction } from "../../parts/row_action.tsx";
import { Section } from "../../parts/section.tsx";
import { Pending } from "../../parts/states.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { AddApp } from "./add_app.tsx";
import { AddPasskey } from "./add_passkey.tsx";

const PATH = "/you/second-factor";

/** The user's second factors: passkeys, an authenticator app, recovery codes. */
export function SecondFactor() {
  const [codes, setCodes] = useState<readonly string[]>([]);
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ["you", "second-factor"],
    queryFn: ({ signal }) => request<SecondFactorView>(PATH, { signal }),
  });
  const { data } = query;
  const renew = async () => {
    await client.invalidateQueries({ queryKey: ["you"] });
    await client.invalidateQueries({ queryKey: ["session"] });
  };
  const show = async ({ recoveryCodes }: SecondFactorAdded) => {
    if (recoveryCodes === null) return await renew();
    // After the codes are saved: the account may open then, and this page is gone.
    setCodes(recoveryCodes);
  };
  const added = async (answer: SecondFactorAdded, what: string) => {
    modals.closeAll();
    showDone(`${what} was added. Other browsers are signed out`);
    await show(answer);
  };
  return (
    <Section
      title="Second factor"
      about="Required after your password. The password alone is not enough to sign in."
    >
      <Pending query={query} />
      {data !== undefined && (
        <Stack gap="md">
          {data.passkeys.map(({ id, name, createdAt }) => (
            <Group key={id} justify="space-between" gap="xs">
              <div>
                <Text size="sm" fw={550}>Passkey {name}</Text>
                <Text size="xs" c="dimmed">
                  Added <Time at={createdAt} size="xs" />
                </Text>
              </div>
              <Removal
                what={`the passkey ${name}`}
                path={`/passkeys/${encodeURIComponent(id)}`}
                onDone={renew}
              />
            </Group>
          ))}
          {data.app && (
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={550}>Authenticator app</Text>
              <Removal what="the authenticator app" path="/app" onDone={renew} />
            </Group>
          )}
          <Group gap="xs">
            <AddPasskey onAdded={(answer) => added(answer, "The passkey")} />
            {data.offersApp && !data.app && (
              <AddApp onAdded={(answer) => added(answer, "The authenticator app")} />
            )}
          </Group>
          {(data.app || data.passkeys.length > 0) && (
            <RecoveryCodes left={data.recoveryCodesLeft} onMade={show} />
          )}
        </Stack>
      )}
      <KeptCodes
        codes={codes}
        onKept={() => {
          setCodes([]);
          void renew();
        }}
      />
    </Section>
  );
}

function Removal({ what, path, onDone }: {
  what: string;
  path: string;
  onDone: () => Promise<void>;
}) {
  const remove = () =>
    confirmAction({
      title: `Remove ${what}?`,
      text:
        "You can no longer sign in with it. Removing the last one also removes the recovery codes.",
      label: "Remove",
      done: "It is removed",
      act: async () => {
        await request(`${PATH}${path}`, { method: "DELETE" });
        await onDone();
      },
    });
  return (
    <RowAction
      onClick={remove}
      aria-label={`Remove ${what}`}
    >
      Remove
    </RowAction>
  );
}

function RecoveryCodes(
  { left, onMade }: { left: number; onMade: (made: SecondFactorAdded) => Promise<void> },
) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => request<SecondFactorAdded>(`${PATH}/recovery-codes`, { method: "POST" }),
    onSuccess: onMade,
    onError: showError,
  });
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm">
        {left === 1 ? "1 recovery code is left." : `${left} recovery codes are left.`}
      </Text>
      <RowAction variant="default" loading={isPending} onClick={() => mutate()}>
        New recovery codes
      </RowAction>
    </Group>
  );
}

/** Shows new recovery codes, if there are any, until the person confirms that they have saved them. */
function KeptCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  return (
    <Modal
      opened={codes.length > 0}
      onClose={onKept}
      title="Recovery codes"
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <Alert color="yellow">
          Store these where you can find them without this device. Each code signs you in once if
          you lose your second factor. They are shown only once.
        </Alert>
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <SimpleGrid cols={2} spacing="xs">
            {codes.map((code) => <Code key={code}>{code}</Code>)}
          </SimpleGrid>
          <CopyText text={codes.join("\n")} label="Copy the recovery codes" />
        </Group>
        <Button onClick={onKept}>I have stored them</Button>
      </Stack>
    </Modal>
  );
}
