import { ActionIcon, Button, Group, Menu, Popover, Tabs, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { modals } from "@mantine/modals";
import { useState } from "react";
import { TbCopy, TbDots, TbPlus, TbTrash } from "react-icons/tb";
import type { TemplateView } from "../../../../interface/templates.ts";
import { LanguageField } from "../../parts/language_field.tsx";
import { canonicalTag, COMMON_LANGUAGES, languageName } from "../../parts/language_tag.ts";
import { languageFault, withLanguage, withoutLanguage } from "./draft_in_language.ts";
import type { Draft } from "./use_draft.ts";

/** The value of the tab of the template's own body: no language tag. */
const OWN = "_own";

/** The languages of a template: which one is shown, and which ones it has and lacks. */
export function LanguageBar({ view, draft, tag, readOnly, onTag }: {
  view: TemplateView;
  draft: Draft;
  /** The shown language; null for the template's own body. */
  tag: string | null;
  readOnly: boolean;
  onTag: (tag: string | null) => void;
}) {
  const { source, change } = draft;
  const tags = Object.keys(source.variants ?? {}).sort();
  const missing = lackedLanguages(view, draft);
  if (readOnly && tags.length === 0) return null;
  const add = (added: string) => {
    change(withLanguage(source, added));
    onTag(added);
  };
  return (
    <Group gap="xs" px="xs" pt={4} wrap="wrap" role="group" aria-label="Languages">
      <Tabs
        variant="outline"
        value={tag ?? OWN}
        onChange={(value) => onTag(value === OWN ? null : value)}
      >
        <Tabs.List aria-label="Language">
          <Tabs.Tab value={OWN} py={4} px={8} title={languageName(source.locale)}>
            {source.locale} (default)
          </Tabs.Tab>
          {tags.map((one) => (
            <Tabs.Tab key={one} value={one} py={4} px={8} title={languageName(one)}>
              {one}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {!readOnly && tag !== null && (
        <LanguageMenu
          {...{ draft, tag }}
          onRemoved={() => onTag(null)}
        />
      )}
      {!readOnly && <AddLanguage {...{ draft, missing }} onAdd={add} />}
      {/* A template in one language is not translated, so it lacks no translation. */}
      {tags.length > 0 && missing.length > 0 && (
        <Text size="xs" c="dimmed" title="Other templates of the account have these languages">
          Missing: {missing.join(", ")}
        </Text>
      )}
    </Group>
  );
}

/** Returns the languages that other templates have, and the draft lacks. */
function lackedLanguages({ missingLanguages }: TemplateView, { source }: Draft): string[] {
  const own = [source.locale, ...Object.keys(source.variants ?? {})].map(canonicalTag);
  return missingLanguages.filter((tag) => !own.includes(canonicalTag(tag)));
}

/** What can be done with the shown language. */
function LanguageMenu({ draft, tag, onRemoved }: {
  draft: Draft;
  tag: string;
  onRemoved: () => void;
}) {
  const { source, change } = draft;
  const ask = (title: string, { label, then }: { label: string; then: () => void }) =>
    modals.openConfirmModal({
      title,
      children: <Text size="sm">What is written in {tag} is lost.</Text>,
      labels: { confirm: label, cancel: "Cancel" },
      confirmProps: { color: "red" },
      onConfirm: then,
    });
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${tag}`}>
          <TbDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<TbCopy size={16} />}
          onClick={() =>
            ask(`Replace ${tag} by a copy of the default?`, {
              label: "Copy",
              then: () => change(withLanguage(source, tag)),
            })}
        >
          Copy from the default
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<TbTrash size={16} />}
          onClick={() =>
            ask(`Remove ${tag}?`, {
              label: "Remove",
              then: () => {
                change(withoutLanguage(source, tag));
                onRemoved();
              },
            })}
        >
          Remove {tag}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Adds a language, which begins with a copy of the template's own body. */
function AddLanguage({ draft, missing, onAdd }: {
  draft: Draft;
  missing: readonly string[];
  onAdd: (tag: string) => void;
}) {
  const [opened, { toggle, close }] = useDisclosure();
  const [text, setText] = useState("");
  const fault = languageFault(draft.source, text);
  const add = () => {
    const tag = canonicalTag(text);
    if (fault !== null || tag === null) return;
    close();
    setText("");
    onAdd(tag);
  };
  const proposed = [...new Set([...missing, ...COMMON_LANGUAGES])]
    .filter((tag) => languageFault(draft.source, tag) === null);
  return (
    <Popover opened={opened} onDismiss={close} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<TbPlus size={14} />}
          onClick={toggle}
        >
          Add language
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <LanguageField
            label="Language"
            description="Its text begins as a copy of the default."
            size="sm"
            data-autofocus
            data={proposed}
            value={text}
            onChange={setText}
            comboboxProps={{ withinPortal: false }}
            error={text === "" ? undefined : fault}
          />
          <Button type="submit" size="xs" mt="xs" disabled={fault !== null}>Add</Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
