import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted } from "../../format.ts";
import { Copy } from "../../parts/copy.tsx";
import { useEdit } from "../../parts/edit.ts";
import { Choice, TextArea } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { ListSkeleton } from "../../parts/list.tsx";
import { NameField } from "../../parts/name-field.tsx";
import { Problem } from "../../parts/notice.tsx";
import { SaveActions } from "../../parts/save-actions.tsx";
import type { Project } from "../../resources.ts";
import { Members, ownerOf, useMembers } from "../members/members.tsx";
import { isAdmin } from "../members/roles.ts";
import { Publishers, usePublishers } from "../publishers/publishers.tsx";
import { Embed, useLiveSettings } from "../share.tsx";
import { HandOverOrDelete } from "./hand-over-or-delete.tsx";

interface SettingsTabProps {
  readonly project: Project;
  readonly onSaved: () => Promise<void>;
}

/** Settings that one seldom changes: the project's name, its people, its CI jobs, and its end. */
export function SettingsTab({ project, onSaved }: SettingsTabProps) {
  const { slug, role, suspension } = project;
  const members = useMembers(slug);
  const publishers = usePublishers(slug);
  const isSettled = [members, publishers].every(({ items, problem }) => items ?? problem);
  const canChange = suspension === null && isAdmin(project);
  return (
    <>
      {canChange && <EditForm project={project} onSaved={onSaved} />}
      <Address project={project} />
      {project.current_release && !suspension && <Embedding project={project} />}
      {isSettled ? (
        <>
          <Members project={project} list={members} publishers={publishers} />
          <Publishers project={project} list={publishers} owner={ownerOf(members.items ?? [])} />
          {role === "owner" && suspension === null && <HandOverOrDelete project={project} onChanged={members.reload} />}
        </>
      ) : (
        <div class="section">
          <ListSkeleton />
        </div>
      )}
    </>
  );
}

/** The project's URL and stored bytes: neither can be changed. */
function Address({ project: { slug, storage } }: { project: Project }) {
  const { games } = useDashboard().configuration;
  return (
    <>
      <h2 class="section">Address</h2>
      <div class="card">
        <Copy text={games ? games.replace("{slug}", slug) : slug} label="the address" />
        <p class="hint">
          {games && (
            <>
              In commands it is <code>{slug}</code>.{" "}
            </>
          )}
          It cannot be changed.
          {storage && ` Its releases store ${bytesInWords(storage.bytes)} in ${counted(storage.objects, "file")}.`}
        </p>
      </div>
    </>
  );
}

/** Pages that may show the live game, and the code for them. The review of the next release decides it. */
function Embedding({ project: { slug, name, play_url: url } }: { project: Project }) {
  const settings = useLiveSettings(slug);
  return (
    <>
      <h2 class="section">Embedding</h2>
      <div class="card">
        <Problem of={settings} />
        {settings.value && url && <Embed {...{ url, name }} settings={settings.value} />}
        <p class="hint">Who may show the game on their page is chosen when you publish, under Advanced.</p>
      </div>
    </>
  );
}

/** A card with the name, what players read, and who may see and change what. */
function EditForm({ project, onSaved }: SettingsTabProps) {
  const { api } = useDashboard();
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description ?? "");
  const [showProvenance, setShowProvenance] = useState(project.show_provenance);
  const [refuseTokens, setRefuseTokens] = useState(project.refuse_tokens);
  const [isSaved, setSaved] = useState(false);
  const submission = useSubmission();
  const params = { slug: project.slug };
  const saveEdit = useEdit(project, {
    fieldsOf: ({ name, description, show_provenance, refuse_tokens }) => ({
      ...{ name, description, show_provenance, refuse_tokens },
    }),
    read: () => api.read("GET /projects/:slug", { params }),
    write: (body, ifMatch) => api.call("PATCH /projects/:slug", { params, body, ifMatch }),
  });
  const save = submission.onSubmit(async () => {
    setSaved(false);
    await saveEdit({
      ...{ name, description: description === "" ? null : description },
      ...{ show_provenance: showProvenance, refuse_tokens: refuseTokens },
    });
    await onSaved();
    setSaved(true);
  });
  return (
    <>
      <h2 class="visually-hidden">General</h2>
      <form class="card" onSubmit={save}>
        <Problem of={submission} />
        <NameField value={name} onValue={setName} submission={submission} />
        <TextArea
          label="Description"
          hint="Players read it on the game’s public page."
          rows={3}
          value={description}
          onValue={setDescription}
          error={submission.fieldError("/description")}
        />
        <fieldset>
          <legend>Visibility</legend>
          <Choice
            type="checkbox"
            name="show_provenance"
            label="Show everybody where the live release comes from"
            hint="The repository’s name, the commit and the CI run, if a CI job has published it; also of a private repository."
            checked={showProvenance}
            onChecked={setShowProvenance}
          />
        </fieldset>
        <fieldset>
          <legend>Access</legend>
          <Choice
            type="checkbox"
            name="refuse_tokens"
            label="Take no tokens"
            hint="Only CI jobs that may publish, and you and the members in this dashboard, change the game. A token that leaks can then change nothing in it; svc on your machine neither."
            checked={refuseTokens}
            onChecked={setRefuseTokens}
          />
        </fieldset>
        <SaveActions isSaved={isSaved} busy={submission.busy} />
      </form>
    </>
  );
}
