import { Alert, Button, FileButton, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { TbFileImport } from "react-icons/tb";
import type { ImportView } from "../../../../interface/suppressions.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { countText } from "../../parts/count_text.ts";
import { importFile, useListChanged } from "./suppression_queries.ts";

/** A file, and what its import would do. */
interface Looked {
  file: File;
  look: ImportView;
}

/** Imports a file of addresses: first shows what would happen, then does it. */
export function ImportAddresses({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const [looked, setLooked] = useState<Looked>();
  const leave = () => {
    close();
    setLooked(undefined);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title="Import addresses"
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {looked === undefined
        ? <Choice cancel={leave} onLooked={setLooked} />
        : <Plan looked={looked} back={() => setLooked(undefined)} leave={leave} />}
    </Modal>
  );
}

function Choice({ cancel, onLooked }: {
  cancel: () => void;
  onLooked: (looked: Looked) => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const look = async (file: File | null) => {
    if (file === null) return;
    setBusy(true);
    try {
      onLooked({ file, look: await importFile(file, { isDry: true }) });
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="lg">
      <Text size="sm">
        A CSV file with up to 50,000 lines. Its first line names the columns: “email” and,
        optionally, “expiresAt” with times such as 2027-01-02T03:04:05Z. A file with one address a
        line works, too. You see the content before you import it.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={cancel}>Cancel</Button>
        <FileButton accept=".csv,.txt,text/csv,text/plain" onChange={(file) => void look(file)}>
          {(props) => (
            <Button {...props} leftSection={<TbFileImport size={16} />} loading={isBusy}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  );
}

function Plan({ looked: { file, look }, back, leave }: {
  looked: Looked;
  back: () => void;
  leave: () => void;
}) {
  const changed = useListChanged();
  const [isBusy, setBusy] = useState(false);
  const { addresses, added, invalidLines, invalid } = look;
  const known = addresses - added;
  const apply = async () => {
    setBusy(true);
    try {
      const done = await importFile(file, { isDry: false });
      showDone(`Imported ${countText(done.added, "address", "addresses")}`);
      await changed();
      leave();
    } catch (error) {
      showError(error);
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>{file.name}</Text>
      <List size="sm" aria-label="What the import does">
        <List.Item>{countText(added, "new address", "new addresses")}</List.Item>
        {known > 0 && (
          <List.Item>
            {countText(known, "address is", "addresses are")}{" "}
            on the list already and will not change
          </List.Item>
        )}
        {invalidLines > 0 && (
          <List.Item>
            {countText(invalidLines, "line is", "lines are")} not valid and will be left out
          </List.Item>
        )}
      </List>
      {invalid.length > 0 && (
        <Alert color="yellow" title="Lines that are not valid">
          <Stack gap={2} mah={220} style={{ overflowY: "auto" }} tabIndex={0}>
            {invalid.map(({ line, message }) => (
              <Text key={line} size="sm">Line {line}: {message}</Text>
            ))}
            {invalidLines > invalid.length && (
              <Text size="sm">and {invalidLines - invalid.length} more</Text>
            )}
          </Stack>
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={back} disabled={isBusy}>Choose another file</Button>
        <Button onClick={() => void apply()} loading={isBusy} disabled={added === 0}>
          Import {countText(added, "address", "addresses")}
        </Button>
      </Group>
    </Stack>
  );
}
