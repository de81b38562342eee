import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { Section } from "../../parts/section.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useSession } from "../../session.tsx";

/** Returns whether members need a second factor. */
export function SecondFactorRule() {
  const { account: { requiresSecondFactor } } = useSession();
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (required: boolean) =>
      request("/account/second-factor", { method: "PUT", body: { required } }),
    onSuccess: async (_, required) => {
      showDone(required ? "A second factor is now required" : "A second factor is now optional");
      await client.invalidateQueries({ queryKey: ["session"] });
    },
    onError: showError,
  });
  return (
    <Section
      title="Signing in"
      about="For members who sign in at a provider, the provider handles second factors."
    >
      <Switch
        label="Members who sign in by password need a second factor"
        checked={requiresSecondFactor}
        disabled={isPending}
        onChange={({ currentTarget }) => mutate(currentTarget.checked)}
      />
    </Section>
  );
}
