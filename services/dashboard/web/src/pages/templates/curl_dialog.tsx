import type { Variables } from "@posthaste/contracts";
import { Anchor, Code, Modal, Stack, Tabs, Text } from "@mantine/core";
import { Link } from "wouter";
import type { TemplateView } from "../../../../interface/templates.ts";
import { CopyCode } from "../../parts/copy_text.tsx";
import { useSession } from "../../session.tsx";
import { attachmentsJson, curlRender, curlSend, type SendExample } from "./curl_text.ts";
import { PdfMail } from "./pdf_mail.tsx";

/** Offers the requests that use a template, with its real ids and the sample's values. */
export function CurlDialog({ view, sample, opened, onClose }: {
  view: TemplateView;
  sample: Variables;
  opened: boolean;
  onClose: () => void;
}) {
  const { apiUrl, user } = useSession();
  const { kind, id, publishedVersion, example } = view;
  const request = {
    apiUrl,
    templateId: id,
    integrationId: example.integrationId ?? "$INTEGRATION_ID",
    sender: example.sender ?? "you@your-domain.example",
    to: user.email,
    variables: sample,
  };
  return (
    <Modal opened={opened} onClose={onClose} size="xl" title="Use it in a request">
      <Stack gap="sm">
        <Text size="sm">
          Set <Code>$POSTHASTE_TOKEN</Code> to{" "}
          <Anchor component={Link} href="~/tokens" size="sm" underline="always">a token</Anchor>.
          The values are those of the sample data.
        </Text>
        {publishedVersion === null && (
          <Text size="sm" c="orange">
            Requests are refused until it is published for the first time.
          </Text>
        )}
        {example.integrationId === null && (
          <Text size="sm" c="orange">
            There is no integration yet:{" "}
            <Anchor component={Link} href="~/integrations" size="sm" underline="always">
              add one
            </Anchor>{" "}
            to send mail.
          </Text>
        )}
        {kind === "email"
          ? (
            <Offers
              offers={[
                { name: "Send", code: curlSend(request) },
                { name: "Render only", code: curlRender(request) },
              ]}
            />
          )
          : (
            <PdfMail lastMailedWith={example.mailedWith}>
              {(mail) => <Offers offers={pdfOffers(request, { id, mail })} />}
            </PdfMail>
          )}
      </Stack>
    </Modal>
  );
}

interface Offer {
  name: string;
  code: string;
}

/** Requests for a PDF: it is sent with a mail, and each of the two has values of its own. */
function pdfOffers(
  request: SendExample,
  { id, mail }: { id: number; mail: { id: number; sample: Variables } | null },
): Offer[] {
  const pdf = { id, variables: request.variables };
  const templateId = mail?.id ?? "$TEMPLATE_ID";
  const variables = mail?.sample ?? {};
  return [
    { name: "curl", code: curlSend({ ...request, templateId, variables, attachments: [pdf] }) },
    { name: "Attachment", code: attachmentsJson(pdf) },
  ];
}

function Offers({ offers }: { offers: Offer[] }) {
  return (
    <Tabs defaultValue={offers[0]?.name ?? null}>
      <Tabs.List>
        {offers.map(({ name }) => <Tabs.Tab key={name} value={name}>{name}</Tabs.Tab>)}
      </Tabs.List>
      {offers.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="sm" style={{ overflow: "hidden" }}>
          <CopyCode code={code} label="Copy" />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
