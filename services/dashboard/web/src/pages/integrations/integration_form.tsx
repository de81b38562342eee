import {
  Alert,
  Anchor,
  Collapse,
  Grid,
  Group,
  Input,
  MultiSelect,
  NumberInput,
  Paper,
  Radio,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { TbChevronDown, TbChevronRight } from "react-icons/tb";
import type { ReactNode } from "react";
import { SectionTitle } from "../../parts/section_title.tsx";
import type { FormValues, IntegrationFormState } from "./form_values.ts";
import { useIntegrations } from "./integration_queries.ts";
import { LoginFields, type LoginFieldsProps } from "./login_fields.tsx";
import { retryAges } from "./retry_ages.ts";

const PORTS = { starttls: 587, implicit: 465, none: 25 } as const;

/** Properties that all parts of the form share. */
interface FormProps {
  form: IntegrationFormState;
  /** What is stored of its login. */
  stored: LoginFieldsProps["stored"];
  /** The integration; missing for a new one. */
  id?: number | undefined;
}

/** The settings of an integration, in sections. */
export function IntegrationForm({ form, stored, id }: FormProps) {
  return (
    <Stack gap="md">
      <Section title="Server">
        <ServerFields form={form} />
      </Section>
      <Section title="Login">
        <LoginFields form={form} stored={stored} />
      </Section>
      <Section
        title="Senders"
        about="Requests may use only these addresses in from.email"
      >
        <TagsInput
          label="Sender addresses"
          placeholder={form.values.senders.length === 0 ? "hello@example.com" : ""}
          description="Press Enter after each"
          acceptValueOnBlur
          splitChars={[",", " ", ";"]}
          {...form.getInputProps("senders")}
        />
      </Section>
      <Section title="Rate and retries">
        <PaceFields form={form} id={id} />
      </Section>
      <TrustFields form={form} />
    </Stack>
  );
}

function Section({ title, about, children }: {
  title: string;
  about?: string;
  children: ReactNode;
}) {
  return (
    <Paper withBorder component="section" p="lg">
      <Stack gap="sm">
        <div>
          <SectionTitle>{title}</SectionTitle>
          {about && <Text size="sm" c="dimmed">{about}</Text>}
        </div>
        {children}
      </Stack>
    </Paper>
  );
}

function ServerFields({ form }: Pick<FormProps, "form">) {
  const { tls, port } = form.values;
  const changeTls = (chosen: string) => {
    const next = chosen as FormValues["tls"];
    // A port that the person has chosen stays.
    if (Object.values<unknown>(PORTS).includes(Number(port))) {
      form.setFieldValue("port", PORTS[next]);
    }
    form.setFieldValue("tls", next);
  };
  return (
    <>
      <TextInput
        label="Name"
        description="Recipients do not see it"
        required
        {...form.getInputProps("name")}
      />
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, xs: 8 }}>
          <TextInput
            label="Host"
            placeholder="smtp.example.com"
            required
            autoCapitalize="off"
            spellCheck={false}
            {...form.getInputProps("host")}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, xs: 4 }}>
          <NumberInput
            label="Port"
            required
            min={1}
            max={65_535}
            hideControls
            allowDecimal={false}
            {...form.getInputProps("port")}
          />
        </Grid.Col>
      </Grid>
      <Input.Wrapper
        label="Encryption"
        labelElement="div"
        description={TLS_WORDS[tls]}
        descriptionProps={{ mt: 6 }}
        inputWrapperOrder={["label", "input", "description"]}
      >
        <SegmentedControl
          fullWidth
          aria-label="Encryption"
          value={tls}
          onChange={changeTls}
          data={[
            { value: "starttls", label: "STARTTLS" },
            { value: "implicit", label: "TLS" },
            { value: "none", label: "None" },
          ]}
        />
      </Input.Wrapper>
    </>
  );
}

const TLS_WORDS: Record<FormValues["tls"], string> = {
  starttls:
    "The connection starts unencrypted and switches to TLS before any data is sent. Usual on port 587. " +
    "If the server does not offer STARTTLS, nothing is sent.",
  implicit: "Encrypted from the first byte; usual on port 465.",
  none:
    "Anyone on the network path can read your mail. Use it only for a server on this machine or in your own network.",
};

function PaceFields({ form, id }: Pick<FormProps, "form" | "id">) {
  return (
    <>
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, xs: 6 }}>
          <NumberInput
            label="Concurrent connections"
            description="1 to 100"
            min={1}
            max={100}
            allowDecimal={false}
            required
            {...form.getInputProps("maxConnections")}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, xs: 6 }}>
          <NumberInput
            label="Messages per minute"
            description="Empty for no limit"
            min={1}
            max={1_000_000}
            allowDecimal={false}
            {...form.getInputProps("maxPerMinute")}
          />
        </Grid.Col>
      </Grid>
      <Select
        label="Retry for"
        description="After a temporary refusal, a message is retried with growing pauses. After this time it fails"
        allowDeselect={false}
        data={retryAges(Number(form.values.retryForMs))}
        {...form.getInputProps("retryForMs")}
      />
      <Radio.Group
        label="When the outcome is unknown"
        description="The connection can break after the last byte and before the server's reply. This is rare, and no mail system can prevent it"
        {...form.getInputProps("whenUnknown")}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="retry"
            label="Send it again"
            description="No message is lost. If the server had accepted it, the recipient gets it twice"
          />
          <Radio
            value="hold"
            label="Hold it for a decision"
            description="No duplicates. If the server had not accepted it, the message stays “unknown” until someone retries it"
          />
        </Stack>
      </Radio.Group>
      <FallbackField form={form} id={id} />
    </>
  );
}

/** The integrations that send its mail while it cannot, in the order in which they are chosen. */
function FallbackField({ form, id }: Pick<FormProps, "form" | "id">) {
  const { data = [] } = useIntegrations();
  const others = data.filter((one) => one.id !== id);
  const stored = form.values.fallbacks.filter((own) => !data.some((one) => String(one.id) === own));
  if (others.length + stored.length === 0) return null;
  return (
    <MultiSelect
      label="If it fails, send through"
      description="Up to three, tried in this order. They get a mail only if the server of this integration certainly did not get it. They must have the same sender address. While this integration is paused, its mail waits"
      data={[
        ...others.map((one) => ({ value: String(one.id), label: one.name })),
        ...stored.map((own) => ({ value: own, label: `Integration ${own} (removed)` })),
      ]}
      maxValues={3}
      clearable
      {...form.getInputProps("fallbacks")}
    />
  );
}

function TrustFields({ form }: Pick<FormProps, "form">) {
  const { ca, allowInvalidCertificate } = form.values;
  const [opened, { toggle }] = useDisclosure(ca !== "" || allowInvalidCertificate);
  const Sign = opened ? TbChevronDown : TbChevronRight;
  return (
    <Paper withBorder component="section" p="lg">
      <UnstyledButton onClick={toggle} aria-expanded={opened}>
        <Group gap="xs">
          <Sign size={16} aria-hidden />
          <SectionTitle>Certificates</SectionTitle>
          <Text size="sm" c="dimmed">for your own servers</Text>
        </Group>
      </UnstyledButton>
      <Collapse expanded={opened}>
        <Stack gap="sm" mt="sm">
          <Textarea
            label="Certificate authority"
            description="PEM. If set, only this authority is trusted, not the public ones"
            placeholder="-----BEGIN CERTIFICATE-----"
            autosize
            minRows={3}
            maxRows={10}
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...form.getInputProps("ca")}
          />
          <Alert color="red">
            <Switch
              color="red"
              label="Dangerous: accept any certificate"
              description="An attacker on the network path can impersonate the server and read your mail and password. Paste the certificate authority above instead"
              styles={{
                label: { fontWeight: allowInvalidCertificate ? 700 : 500 },
                description: { color: "var(--mantine-color-text)" },
              }}
              checked={allowInvalidCertificate}
              onChange={(event) =>
                form.setFieldValue("allowInvalidCertificate", event.currentTarget.checked)}
            />
          </Alert>
        </Stack>
      </Collapse>
    </Paper>
  );
}

/** A link to an external page. */
export function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer noopener" inherit underline="always">
      {children}
    </Anchor>
  );
}
