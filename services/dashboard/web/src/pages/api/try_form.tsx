import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  JsonInput,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import type { ApiTrial, ApiTrialAnswer } from "../../../../interface/api_page.ts";
import { CopyCode } from "../../parts/copy_text.tsx";
import { useTrial } from "./api_queries.ts";
import type { EndpointItem } from "./endpoint_list.ts";
import { exampleOf } from "./example_of.ts";
import { trialPath } from "./trial_path.ts";

/** Tries an endpoint with a token, through the dashboard. */
export function TryForm({ endpoint, token }: { endpoint: EndpointItem; token: string }) {
  const { method, path, parameters, body: schema } = endpoint;
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(() =>
    schema === undefined ? "" : JSON.stringify(exampleOf(schema), null, 2)
  );
  const { mutate, data, error, isPending } = useTrial();
  const inputs = parameters.filter((one) => one.in !== "header");
  const send = () =>
    mutate({
      method: method as ApiTrial["method"],
      path: trialPath(path, parameters, values),
      token,
      ...(schema === undefined ? {} : { body }),
    });
  return (
    <Stack gap="sm">
      <Text size="sm" fw={550}>Try it</Text>
      {inputs.map(({ name, in: place, description }) => (
        <TextInput
          key={name}
          label={name}
          description={description}
          required={place === "path"}
          value={values[name] ?? ""}
          onChange={({ currentTarget: { value } }) => setValues({ ...values, [name]: value })}
          maw={480}
        />
      ))}
      {schema !== undefined && (
        <JsonInput
          label="Body to send"
          value={body}
          onChange={setBody}
          validationError="This is not JSON"
          autosize
          minRows={4}
          maxRows={20}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
      )}
      <Group gap="sm">
        <Button onClick={send} loading={isPending} disabled={token === ""}>Send request</Button>
        {token === "" && <Text size="sm" c="dimmed">Enter a token at the top of this page.</Text>}
      </Group>
      <div aria-live="polite">
        {error !== null && <Alert color="red">{error.message}</Alert>}
        {data && <Answer answer={data} />}
      </div>
    </Stack>
  );
}

function Answer({ answer }: { answer: ApiTrialAnswer }) {
  const { status, durationMs, contentType, headers, text, base64 } = answer;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Badge color={status < 300 ? "teal" : "red"}>{status}</Badge>
        <Text size="sm" c="dimmed">{durationMs} ms</Text>
        {Object.entries(headers).map(([name, value]) => <Code key={name}>{name}: {value}</Code>)}
      </Group>
      {text !== null && text !== "" && <CopyCode code={pretty(text)} label="Copy the answer" />}
      {base64 !== null && (
        <Button
          component="a"
          href={`data:${contentType.split(";", 1)[0]};base64,${base64}`}
          download="answer"
          variant="default"
          w="fit-content"
        >
          Save the answer
        </Button>
      )}
    </Stack>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
