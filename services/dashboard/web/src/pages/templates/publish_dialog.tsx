import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { TemplateKind } from "@posthaste/contracts";
import type {
  LintFinding,
  TemplatePublished,
  TemplateView,
} from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { usePublishing } from "../../editor/use_publishing.ts";
import { showDone, showWarning } from "../../parts/show_outcome.ts";
import { allFindings, countFindings } from "./all_findings.ts";
import { Finding } from "./finding_list.tsx";
import type { SourcePlace } from "./source_marks.ts";
import { KINDS } from "./template_kind.ts";
import type { Draft } from "./use_draft.ts";
import type { Preview } from "./use_preview.ts";

/** Shows the findings of a draft, and publishes it if no error prevents it. */
export function PublishDialog({ view, draft, preview, opened, onClose, onShow }: {
  view: TemplateView;
  draft: Draft;
  preview: Preview;
  opened: boolean;
  onClose: () => void;
  onShow: (place: SourcePlace) => void;
}) {
  const { kind, id, publishedVersion } = view;
  const { working, refused, run, close } = usePublishing(onClose);
  const findings = preview.view === null ? [] : allFindings(preview.view);
  const blocks = findings.some(({ severity }) => severity === "error");
  const publish = () =>
    run(async () => {
      const saved = await draft.save();
      if (saved === null) return close();
      const path = `${KINDS[kind].api}/${id}/publish`;
      const body = { revision: saved.revision };
      const published = await request<TemplatePublished>(path, { method: "POST", body });
      draft.adopt(published);
      close();
      showDone(`Version ${published.publishedVersion} is now live`);
      for (const warning of published.warnings) showWarning(warning);
    });
  return (
    <Modal opened={opened} onClose={close} title={`Publish “${view.name}”`} size="lg">
      <Stack>
        <Text size="sm">
          Publishing makes this draft live
          {publishedVersion === null ? "" : ` in place of version ${publishedVersion}`}. Accepted
          messages do not change.
        </Text>
        <Found kind={kind} findings={findings} isWaiting={preview.isWaiting} onShow={onShow} />
        {refused !== null && (
          <Alert color="red" title="The version was not published" p="sm">
            <Text size="sm">{refused.message}</Text>
            {refused.issues.map(({ path, message }, index) => (
              <Text key={index} size="sm">{path}: {message}</Text>
            ))}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button
            loading={working}
            disabled={blocks || preview.isWaiting}
            onClick={() => void publish()}
          >
            {draft.isUnsaved ? "Save and publish" : "Publish"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Found({ kind, findings, isWaiting, onShow }: {
  kind: TemplateKind;
  findings: readonly LintFinding[];
  isWaiting: boolean;
  onShow: (place: SourcePlace) => void;
}) {
  if (isWaiting) return <Text size="sm" c="dimmed" role="status">Checking…</Text>;
  if (findings.length === 0) return <Text size="sm">No issues found.</Text>;
  const blocks = findings.some(({ severity }) => severity === "error");
  const [hints, serious] = [
    findings.filter(({ severity }) => severity === "info"),
    findings.filter(({ severity }) => severity !== "info"),
  ];
  const listOf = (some: readonly LintFinding[]) => (
    <Stack gap={2} mah={260} style={{ overflowY: "auto" }}>
      {some.map((finding, index) => (
        <Finding key={index} finding={finding} kind={kind} onShow={onShow} />
      ))}
    </Stack>
  );
  return (
    <>
      {serious.length === 0 ? <Text size="sm">No errors or warnings.</Text> : (
        <Alert
          color={blocks ? "red" : "orange"}
          title={blocks ? "Fix these errors first" : "Review these warnings first"}
          p="sm"
        >
          {listOf(serious)}
        </Alert>
      )}
      {hints.length > 0 && (
        <details>
          <Text component="summary" size="sm" style={{ cursor: "pointer" }}>
            {countFindings(findings, "info")}
          </Text>
          {listOf(hints)}
        </details>
      )}
    </>
  );
}
