import { Button, FileButton, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { TbPhoto, TbUpload } from "react-icons/tb";
import { Page } from "../../parts/page.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Empty, Pending } from "../../parts/states.tsx";
import { useMay } from "../../session.tsx";
import { sizeText } from "../templates/size_text.ts";
import type { AssetView } from "../../../../interface/assets.ts";
import { DescribeImages } from "./describe_images.tsx";
import { FileCard } from "./file_card.tsx";
import { FileDrop } from "./file_drop.tsx";
import { useFiles, useUpload } from "./file_queries.ts";

/** All files that the account keeps, with their actions; files are dropped on it to store them. */
export default function FileLibrary() {
  const query = useFiles();
  const { data } = query;
  const mayEdit = useMay("editor");
  const upload = useUpload();
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<readonly AssetView[]>([]);
  const endAsking = () => setAsked([]);
  const store = async (files: File[]) => {
    if (files.length === 0) return;
    setBusy(true);
    try {
      const stored = await upload(files);
      setAsked(stored.filter(({ contentType }) => contentType.startsWith("image/")));
      showDone(stored.length === 1 ? `Stored ${stored[0]?.name}` : `Stored ${stored.length} files`);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const button = mayEdit && (
    <FileButton multiple onChange={(files) => void store(files)}>
      {(props) => (
        <Button {...props} leftSection={<TbUpload size={16} />} loading={isBusy}>
          Upload files
        </Button>
      )}
    </FileButton>
  );
  return (
    <FileDrop disabled={!mayEdit} onFiles={(files) => void store(files)}>
      <DescribeImages images={asked} onDone={endAsking} onClose={endAsking} />
      <Page
        title="Files"
        about="Images and fonts of templates, and files that requests attach by name"
        actions={data && data.assets.length > 0 && button}
      >
        <Pending query={query} />
        {data?.assets.length === 0 && (
          <Empty icon={TbPhoto} title="No files yet" action={button}>
            {mayEdit
              ? "Upload a logo, or drop it here. Templates then show it, and mails carry it."
              : "There are none yet. An editor or owner of the account can upload one."}
          </Empty>
        )}
        {data && data.assets.length > 0 && (
          <Stack gap="sm">
            <Text size="sm" c="dimmed" role="status">
              {data.assets.length} {data.assets.length === 1 ? "file" : "files"},{" "}
              {sizeText(data.bytes)} of {sizeText(data.maxBytes)}
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }} spacing="sm">
              {data.assets.map((file) => (
                <FileCard key={file.name} file={file} mayEdit={mayEdit} />
              ))}
            </SimpleGrid>
          </Stack>
        )}
      </Page>
    </FileDrop>
  );
}
