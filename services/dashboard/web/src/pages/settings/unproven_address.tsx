import { Alert, Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { SignInView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";

/** Shows that an address is not verified, what that means, and how to verify it. */
export function UnprovenAddress({ email }: { email: string }) {
  const { data: view } = useQuery({
    queryKey: ["sign-in"],
    queryFn: ({ signal }) => request<SignInView>("/sign-in", { signal }),
  });
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: () => request("/you/proof", { method: "POST" }),
    onSuccess: () => showDone("Verification link sent"),
    onError: showError,
  });
  return (
    <Alert color="yellow" title="This address is not verified" maw={420}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          The address {email}{" "}
          is not verified yet. Until it is, you cannot join another account or use this login with a
          provider.
        </Text>
        {view?.sendsMail === true && (
          <Button
            variant="default"
            size="xs"
            loading={isPending}
            onClick={() => mutate()}
          >
            {isSuccess ? "Send the link again" : "Send me a link"}
          </Button>
        )}
        {view?.sendsMail === false && (
          <Text size="sm">This installation cannot send mail of its own. Ask the operator.</Text>
        )}
      </Stack>
    </Alert>
  );
}
