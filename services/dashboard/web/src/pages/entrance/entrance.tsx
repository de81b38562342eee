import { Button, Center, Paper, Stack, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { EntranceView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { tellProblem } from "../../parts/tell.ts";

/** What is shown to who is signed out. */
export default function Entrance() {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ["entrance"],
    queryFn: ({ signal }) => request<EntranceView>("/entrance", { signal }),
  });
  const enterDemo = async () => {
    try {
      await request("/entrance/demo", { method: "POST" });
      await client.resetQueries({ queryKey: ["session"] });
    } catch (problem) {
      tellProblem(problem);
    }
  };
  return (
    <Center mih="100vh" component="main">
      <Paper withBorder p="xl" w={380}>
        <Stack>
          <Title order={1} size="h3">Sign in</Title>
          {data?.demoAccount && (
            <Button onClick={() => void enterDemo()}>Open the {data.demoAccount} account</Button>
          )}
        </Stack>
      </Paper>
    </Center>
  );
}
