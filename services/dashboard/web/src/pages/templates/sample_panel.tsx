import { Alert, Box, Button, Group, Text } from "@mantine/core";
import { TbPlus } from "react-icons/tb";
import { CodeEditor } from "../../editor/lazy_editor.tsx";
import { completeSample, lackingPaths } from "./complete_sample.ts";
import type { Draft } from "./use_draft.ts";
import type { Preview } from "./use_preview.ts";

/** The data that the preview, test mails and examples are filled with. */
export function SamplePanel({ draft, preview, readOnly }: {
  draft: Draft;
  preview: Preview;
  readOnly: boolean;
}) {
  const { source, sampleText, sampleError, changeSample, setSample } = draft;
  const paths = preview.view?.variables.flatMap((variable) => variable.paths) ?? [];
  const lacking = lackingPaths(source.sample, paths);
  return (
    <Box h="100%" style={{ display: "flex", flexDirection: "column" }}>
      <Group px="sm" py="xs" gap="sm" justify="space-between">
        <Text size="xs" c="dimmed" flex="1 1 200px">
          JSON for previews, test messages and examples. It is never sent to customers.
        </Text>
        {lacking.length > 0 && sampleError === null && !readOnly && (
          <Button
            size="compact-xs"
            variant="light"
            leftSection={<TbPlus size={14} />}
            onClick={() => setSample(completeSample(source.sample, lacking))}
          >
            Add {lacking.length === 1 ? lacking[0] : `${lacking.length} missing variables`}
          </Button>
        )}
      </Group>
      {sampleError !== null && (
        <Alert color="red" p="xs" mx="sm" mb="xs">
          The preview uses the last valid data: {sampleError}
        </Alert>
      )}
      <Box flex={1} mih={0}>
        <CodeEditor
          language="json"
          label="Sample data as JSON"
          value={sampleText}
          onChange={changeSample}
          readOnly={readOnly}
        />
      </Box>
    </Box>
  );
}
