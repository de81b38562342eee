import { Button, Group, Menu, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { TbPhotoPlus, TbUpload } from "react-icons/tb";
import type { AssetView } from "../../../../interface/assets.ts";
import { showError } from "../../parts/show_outcome.ts";
import { DescribeImages } from "../files/describe_images.tsx";
import { useFiles, useUpload } from "../files/file_queries.ts";
import { imageTag } from "../files/image_tag.ts";
import { Thumbnail } from "../files/thumbnail.tsx";

/** A text for the editor to insert at its cursor; another object inserts again. */
export interface Insertion {
  text: string;
}

/**
 * Inserts stored images into a source, and stores those that are new. It first asks for their descriptions and
 * widths.
 */
export function useInsertImage({ isMjml }: { isMjml: boolean }) {
  const [insertion, setInsertion] = useState<Insertion | null>(null);
  const [asked, setAsked] = useState<readonly AssetView[]>([]);
  const [isBusy, setBusy] = useState(false);
  const upload = useUpload();
  const insert = (files: readonly AssetView[]) => {
    setAsked(files.filter(({ contentType }) => contentType.startsWith("image/")));
  };
  const insertDescribed = (images: readonly AssetView[]) => {
    setAsked([]);
    setInsertion({ text: images.map((image) => imageTag(image, { isMjml })).join("\n") });
  };
  const insertFiles = async (files: File[]) => {
    setBusy(true);
    try {
      insert(await upload(files.filter(({ type }) => type.startsWith("image/"))));
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const cancel = () => setAsked([]);
  return { insertion, isBusy, insert, insertFiles, asked, insertDescribed, cancel };
}

/** A menu of the stored images, and of an upload. */
export function InsertImage(
  { isBusy, insert, insertFiles, asked, insertDescribed, cancel }: ReturnType<
    typeof useInsertImage
  >,
) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useFiles({ enabled: isOpen });
  const input = useRef<HTMLInputElement>(null);
  const images = data?.assets.filter(({ contentType }) => contentType.startsWith("image/")) ?? [];
  return (
    <>
      <DescribeImages images={asked} withWidth onDone={insertDescribed} onClose={cancel} />
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          void insertFiles([...currentTarget.files ?? []]);
          currentTarget.value = "";
        }}
      />
      <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={280}>
        <Menu.Target>
          <Button
            size="compact-xs"
            variant="subtle"
            loading={isBusy}
            leftSection={<TbPhotoPlus size={14} />}
          >
            Image
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: "auto" }}>
          <Menu.Item leftSection={<TbUpload size={16} />} onClick={() => input.current?.click()}>
            Upload, or drop it on the editor
          </Menu.Item>
          {images.length > 0 && <Menu.Label>Stored images</Menu.Label>}
          {images.map((image) => (
            <Menu.Item key={image.name} onClick={() => insert([image])}>
              <Group gap="sm" wrap="nowrap">
                <div style={{ width: 48, flexShrink: 0 }}>
                  <Thumbnail file={image} height={32} />
                </div>
                <Text size="sm" truncate>{image.name}</Text>
              </Group>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
