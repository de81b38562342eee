import type { Bundle } from "@posthaste/contracts";
import { Button, Tooltip } from "@mantine/core";
import { useState } from "react";
import { TbDownload } from "react-icons/tb";
import { addressOf, HttpError, request } from "../../api.ts";
import { showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";
import { AliasDialog } from "./alias_dialog.tsx";
import { exportedFiles } from "./export_archive.ts";
import { type MissingAlias, missingAliases } from "./missing_aliases.ts";
import { tarArchive } from "./tar_archive.ts";

/** Downloads the published templates of the account, with all that they share, as an archive of files. */
export function ExportTemplates() {
  const mayEdit = useMay("editor");
  const [isBusy, setBusy] = useState(false);
  const [missing, setMissing] = useState<MissingAlias[]>([]);
  const save = async () => {
    setBusy(true);
    try {
      const files = await exportedFiles(await request<Bundle>("/bundle"), loadAsset);
      const archive = new Blob([await tarArchive(files, { at: new Date() })]);
      const packed = archive.stream().pipeThrough(new CompressionStream("gzip"));
      download(await new Response(packed).blob(), "templates.tar.gz");
    } catch (error) {
      const found = mayEdit ? await missingAliases(error).catch(() => []) : [];
      if (found.length > 0) setMissing(found);
      else showError(withPlaces(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Tooltip label="What is published, of mails and PDFs, with partials and files" withArrow>
        <Button
          variant="default"
          leftSection={<TbDownload size={16} />}
          loading={isBusy}
          onClick={() => void save()}
        >
          Export all
        </Button>
      </Tooltip>
      {missing.length > 0 && (
        <AliasDialog
          templates={missing}
          onClose={() => setMissing([])}
          onSaved={() => {
            setMissing([]);
            void save();
          }}
        />
      )}
    </>
  );
}

async function loadAsset(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(addressOf(`/assets/${name}/content`));
  if (!response.ok) throw new Error(`Cannot load the file "${name}": try again`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Names the templates that prevent an export. */
function withPlaces(error: unknown): unknown {
  if (!(error instanceof HttpError) || error.issues.length === 0) return error;
  const places = error.issues.map(({ path }) => path).join(", ");
  return new Error(`${error.message}: ${places}`);
}

function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
