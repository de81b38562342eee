import { Box, Button, Center, Stack, Text, Title } from "@mantine/core";
import { request } from "./api.ts";
import { SecondFactor } from "./pages/settings/second_factor.tsx";
import { showError } from "./parts/show_outcome.ts";
import { useSession } from "./session.tsx";

/** Shown instead of an account to a person who needs a second factor first. */
export function SecondFactorNeeded() {
  const { account, accounts, user } = useSession();
  const others = accounts.filter(({ id }) => id !== account.id);
  const leave = () =>
    void request("/session", { method: "DELETE" }).then(() => location.assign("/"), showError);
  return (
    <Center mih="100dvh" component="main" p="md">
      <Box w="100%" maw={560}>
        <Stack>
          <Title order={1} size="h2">{account.name} requires a second factor</Title>
          <Text size="sm">
            Members who sign in by password need one. Add one, {user.name}, to continue.
          </Text>
          <SecondFactor />
          {others.map(({ id, name }) => (
            <Button key={id} variant="default" component="a" href={`/a/${id}/`}>
              Go to {name}
            </Button>
          ))}
          <Button variant="subtle" onClick={leave}>Sign out</Button>
        </Stack>
      </Box>
    </Center>
  );
}
