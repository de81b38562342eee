import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { MembersView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { Section } from "../../parts/section.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { useMay } from "../../session.tsx";
import { InvitationList } from "./invitation_list.tsx";
import { InviteForm } from "./invite_form.tsx";
import { MemberTable } from "./member_table.tsx";

/** The account's members and invitations. */
export function MembersTab() {
  const isOwner = useMay("owner");
  const { data, error, refetch } = useQuery({
    queryKey: ["members"],
    queryFn: ({ signal }) => request<MembersView>("/members", { signal }),
  });
  if (data === undefined) {
    if (error === null) return <Waiting label="Loading members" />;
    return <Failed error={error} retry={() => void refetch()} />;
  }
  return (
    <Stack>
      {isOwner && (
        <Section
          title="Invite a person"
          about="You get a link to pass on. It is for this address only, works once, and expires after 7 days."
        >
          <InviteForm />
        </Section>
      )}
      {data.invitations.length > 0 && <InvitationList invitations={data.invitations} />}
      <Section
        title="Members"
        about="Viewers can see everything. Editors can also change templates and integrations, and retry messages. Owners can do everything."
      >
        <MemberTable members={data.members} mayChange={isOwner} />
      </Section>
    </Stack>
  );
}
