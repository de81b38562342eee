import { Alert, Anchor, Badge, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { PartialView, TouchedTemplate } from "../../../../interface/partials.ts";
import { usePublishing } from "../../editor/use_publishing.ts";
import { showDone, showWarning } from "../../parts/show_outcome.ts";
import { Pending } from "../../parts/states.tsx";
import { KINDS } from "../templates/template_kind.ts";
import { useTouched } from "./partial_queries.ts";
import { touchedText } from "./touched_text.ts";
import type { PartialDraft } from "./use_partial_draft.ts";

/** Shows which templates change with a partial, and publishes all of them together. */
export function PublishPartial({ view, title, draft, opened, onClose }: {
  view: PartialView;
  /** What is published: `“footer”`. */
  title: string;
  draft: PartialDraft;
  opened: boolean;
  onClose: () => void;
}) {
  const query = useTouched(view.name, { enabled: opened && view.revision > 0 });
  const touched = view.revision === 0 ? [] : query.data;
  const { working, refused, run, close } = usePublishing(onClose);
  const publish = () =>
    run(async () => {
      const published = await draft.publish();
      close();
      if (published === null) return;
      const count = published.templates.length;
      const also = count === 0 ? "" : `, with ${count} ${count === 1 ? "template" : "templates"}`;
      showDone(`Version ${published.version} is now live${also}`);
      for (const warning of published.warnings) showWarning(warning);
    });
  return (
    <Modal opened={opened} onClose={close} title={`Publish ${title}`} size="lg">
      <Stack>
        {touched === undefined ? <Pending query={query} /> : <Touched templates={touched} />}
        {refused !== null && (
          <Alert color="red" title="Nothing was published" p="sm">
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>{refused.message}</Text>
            {refused.issues.map(({ path, message }, index) => (
              <Text key={index} size="sm" style={{ overflowWrap: "anywhere" }}>
                {path}: {message}
              </Text>
            ))}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button
            loading={working}
            disabled={touched === undefined}
            onClick={() => void publish()}
          >
            {draft.isUnsaved ? "Save and publish" : "Publish"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Touched({ templates }: { templates: readonly TouchedTemplate[] }) {
  return (
    <>
      <Text size="sm">
        <Text span inherit fw={600}>{touchedText(templates.length)}.</Text>
        {templates.length > 0 && " The partial is published with all of them, or not at all."}
      </Text>
      {templates.length > 0 && (
        <List size="sm" mah={260} style={{ overflowY: "auto" }} tabIndex={0}>
          {templates.map(({ kind, id, name, hasDraft }) => (
            <List.Item key={`${kind}/${id}`}>
              <Group gap={6}>
                <Anchor component={Link} href={`~${KINDS[kind].path}/${id}`} size="sm">
                  {name}
                </Anchor>
                {hasDraft && (
                  <Badge variant="light" color="orange" tt="none">
                    Its unpublished changes stay
                  </Badge>
                )}
              </Group>
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
