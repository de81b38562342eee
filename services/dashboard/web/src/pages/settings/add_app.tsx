import { Anchor, Button, Center, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { modals } from "@mantine/modals";
import { useMutation } from "@tanstack/react-query";
import { encode } from "uqr";
import type { NewAppView, SecondFactorAdded } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { CopyText } from "../../parts/copy_text.tsx";
import { showIssues } from "../../parts/form_issues.ts";
import { showError } from "../../parts/show_outcome.ts";

const PATH = "/you/second-factor/app";
const CODE_PIXELS = 200;

/** A button that sets up an authenticator app. */
export function AddApp({ onAdded }: { onAdded: (answer: SecondFactorAdded) => Promise<void> }) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => request<NewAppView>(PATH, { method: "POST" }),
    onSuccess: (made) =>
      modals.open({
        title: "Add an authenticator app",
        closeButtonProps: { "aria-label": "Close" },
        children: <AppForm made={made} onAdded={onAdded} />,
      }),
    onError: showError,
  });
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      Add an authenticator app
    </Button>
  );
}

function AppForm({ made, onAdded }: {
  made: NewAppView;
  onAdded: (answer: SecondFactorAdded) => Promise<void>;
}) {
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (text) => /^\s*(\d\s*){6}$/.test(text) ? null : "Six digits" },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: { code: string }) =>
      request<SecondFactorAdded>(PATH, { method: "PUT", body }),
    onSuccess: onAdded,
    onError: (error) => showIssues(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
      <Stack>
        <Text size="sm">
          Scan this with the app, or <Anchor href={made.uri}>open it on this device</Anchor>.
        </Text>
        <Center>
          <QrCode text={made.uri} />
        </Center>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" flex="none">Or type</Text>
          <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>{made.secret}</Text>
          <CopyText text={made.secret} label="Copy the secret" />
        </Group>
        <TextInput
          label="Code"
          description="The code that the app shows now"
          inputMode="numeric"
          autoComplete="one-time-code"
          {...form.getInputProps("code")}
        />
        <Button type="submit" loading={isPending}>Add</Button>
      </Stack>
    </form>
  );
}

/** Black on white, also in dark colours: cameras need it. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => isDark ? `M${x} ${y}h1v1h-1z` : [])
  );
  return (
    <svg
      role="img"
      aria-label="QR code of the secret below"
      viewBox={`0 0 ${size} ${size}`}
      width={CODE_PIXELS}
      height={CODE_PIXELS}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join("")} fill="#000" />
    </svg>
  );
}
