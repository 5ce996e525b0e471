import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { beginningOfProject, readBeginning } from "../../../../publisher/beginning.ts";
import { useDashboard } from "../../dashboard.ts";
import { bytesInWords, counted } from "../../format.ts";
import { viewsWithout } from "../../option.ts";
import { Copy } from "../../parts/copy.tsx";
import { useEdit } from "../../parts/edit.ts";
import { Choice, TextArea } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { ListSkeleton } from "../../parts/list.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { NameField } from "../../parts/name-field.tsx";
import { Problem } from "../../parts/notice.tsx";
import { SaveActions } from "../../parts/save-actions.tsx";
import { Unsaved } from "../../parts/unsaved.tsx";
import { useProjectChanged } from "../../projects.ts";
import { announceReleases } from "../../publish/publishing.ts";
import type { Project } from "../../resources.ts";
import { Embed } from "../embed.tsx";
import { Members, ownerOf, useMembers } from "../members/members.tsx";
import { isAdmin, isPublisher } from "../members/roles.ts";
import { Publishers, usePublishers } from "../publishers/publishers.tsx";
import { GameSettings } from "./game-settings.tsx";
import { HandOverOrDelete } from "./hand-over-or-delete.tsx";
import { OptionSwitches } from "./option-switches.tsx";
import { PictureSetting } from "./picture-setting.tsx";
import { ProjectTokens, useProjectTokens } from "./project-tokens.tsx";
import { SectionHeading, SectionLinks, type SettingsSection, sections } from "./settings-sections.tsx";

interface SettingsTabProps {
  readonly project: Project;
  readonly onSaved: () => Promise<void>;
}

/** Settings that one seldom changes: the project's name, its people, its CI jobs, and its end. */
export function SettingsTab({ project, onSaved }: SettingsTabProps) {
  const { leftOut = [] } = useDashboard().configuration;
  const { slug, role, suspension } = project;
  const members = useMembers(slug);
  const publishers = usePublishers(project);
  const tokens = useProjectTokens(project);
  const lists = isPublisher(project) ? [members, publishers, tokens] : [members];
  const isSettled = lists.every(({ items, problem }) => items ?? problem);
  useProjectChanged(slug, () => void Promise.all(lists.map((list) => list.reload())));
  const canChange = suspension === null && isAdmin(project);
  const isLive = project.current_release !== null && suspension === null;
  const atOnce: (Part | false)[] = [
    canChange && { of: [sections.general], view: <EditForm project={project} onSaved={onSaved} /> },
    canChange &&
      isLive &&
      project.play_url !== null && {
        of: [sections.pictures],
        view: <PictureSetting project={project} onSaved={onSaved} />,
      },
    { of: [sections.address], view: <Address project={project} /> },
    isLive && {
      of: isPublisher(project) ? [sections.game, sections.embedding] : [sections.embedding],
      view: <LiveSettings project={project} />,
    },
  ];
  const afterLists: (Part | false)[] = [
    { of: [sections.members], view: <Members project={project} list={members} publishers={publishers} /> },
    isPublisher(project) && {
      of: [sections.publishers],
      view: <Publishers project={project} list={publishers} owner={ownerOf(members.items ?? [])} />,
    },
    role === "owner" && { of: [sections.tokens], view: <ProjectTokens project={project} list={tokens} /> },
    ...viewsWithout(leftOut).map(
      ({ Settings }) =>
        Settings?.isShown(project) === true && { of: [Settings.section], view: <Settings.View project={project} /> },
    ),
    role === "owner" &&
      suspension === null && {
        of: [sections.delete],
        view: <HandOverOrDelete project={project} onChanged={members.reload} />,
      },
  ];
  // The part that the URL names, as `svc open members` prints it, is there only now.
  useEffect(() => {
    if (isSettled) document.getElementById(location.hash.slice(1))?.focus();
  }, [isSettled]);
  return (
    <div class="settings">
      <SectionLinks of={[...atOnce, ...afterLists].flatMap((part) => (part ? part.of : []))} />
      <div>
        <Parts of={atOnce} />
        {isSettled ? (
          <Parts of={afterLists} />
        ) : (
          <div class="section">
            <ListSkeleton />
          </div>
        )}
      </div>
    </div>
  );
}

/** What is shown together, and the sections that it has. */
interface Part {
  readonly of: readonly SettingsSection[];
  readonly view: ComponentChildren;
}

function Parts({ of: parts }: { of: readonly (Part | false)[] }) {
  return parts.map((part) => part && <Fragment key={part.of[0]?.id}>{part.view}</Fragment>);
}

/** The project's URL and stored bytes: neither can be changed. */
function Address({ project: { slug, storage } }: { project: Project }) {
  const { games } = useDashboard().configuration;
  return (
    <>
      <SectionHeading of={sections.address} />
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

/** The settings of the live release, and code for pages that may show it. */
function LiveSettings({ project }: { project: Project }) {
  const { api } = useDashboard();
  const { slug, name, play_url: url, current_release: release } = project;
  // What the page has read is not read twice; later another release may be live than the page knows of.
  const known = useRef<Project | undefined>(project);
  const load = () => {
    const first = known.current;
    known.current = undefined;
    return first ? beginningOfProject(api, slug, first) : readBeginning(api, slug);
  };
  const beginning = useLoaded(load, [api, slug, release?.id]);
  const { current, live } = beginning.value ?? {};
  const onOutdated = async () => {
    announceReleases(slug);
    await beginning.reload();
  };
  return (
    <>
      {isPublisher(project) && <SectionHeading of={sections.game} />}
      {current && live && isPublisher(project) && <GameSettings {...{ project, current, live, onOutdated }} />}
      <Problem of={beginning} />
      <SectionHeading of={sections.embedding} />
      <div class="card">{live && url && <Embed {...{ url, name }} settings={live} />}</div>
    </>
  );
}

/** A card with the name, what players read, and who may see and change what. */
function EditForm({ project, onSaved }: SettingsTabProps) {
  const { api } = useDashboard();
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description ?? "");
  const [howToPlay, setHowToPlay] = useState(project.how_to_play ?? "");
  const [showProvenance, setShowProvenance] = useState(project.show_provenance);
  const [refuseTokens, setRefuseTokens] = useState(project.refuse_tokens);
  const [personMakesLive, setPersonMakesLive] = useState(project.person_makes_live);
  const [switchedOff, setSwitchedOff] = useState(project.switched_off);
  const [isSaved, setSaved] = useState(false);
  const submission = useSubmission();
  const params = { slug: project.slug };
  const edit = useEdit(project, {
    fieldsOf: ({
      name,
      description,
      how_to_play,
      show_provenance,
      refuse_tokens,
      person_makes_live,
      switched_off,
    }) => ({
      ...{ name, description, how_to_play, show_provenance, refuse_tokens, person_makes_live, switched_off },
    }),
    read: () => api.read("GET /projects/:slug", { params }),
    write: (body, ifMatch) => api.call("PATCH /projects/:slug", { params, body, ifMatch }),
  });
  const edited = {
    ...{ name, description: description === "" ? null : description },
    how_to_play: howToPlay === "" ? null : howToPlay,
    ...{ show_provenance: showProvenance, refuse_tokens: refuseTokens, person_makes_live: personMakesLive },
    switched_off: switchedOff,
  };
  const isUnsaved = edit.isUnsaved(edited);
  const save = submission.onSubmit(async () => {
    if (!isUnsaved) return;
    setSaved(false);
    const saved = await edit.save(edited);
    setName(saved.name);
    setDescription(saved.description ?? "");
    setHowToPlay(saved.how_to_play ?? "");
    setShowProvenance(saved.show_provenance);
    setRefuseTokens(saved.refuse_tokens);
    setPersonMakesLive(saved.person_makes_live);
    setSwitchedOff(saved.switched_off);
    edit.shows(saved);
    await onSaved();
    setSaved(true);
  });
  return (
    <>
      <SectionHeading of={sections.general} />
      <Unsaved isUnsaved={isUnsaved} />
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
        <TextArea
          label="How to play (optional)"
          hint="Keys, touch and the goal, on the same page."
          rows={3}
          value={howToPlay}
          onValue={setHowToPlay}
          error={submission.fieldError("/how_to_play")}
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
        <OptionSwitches switchedOff={switchedOff} onSwitchedOff={setSwitchedOff} />
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
          <Choice
            type="checkbox"
            name="person_makes_live"
            label="A person makes live"
            hint="What tokens and CI jobs publish waits here until one of you, who has just signed in, makes it live. Rolling back, taking offline and these settings need a new sign-in too. A token or CI account that is stolen can then change nothing for players."
            checked={personMakesLive}
            onChecked={setPersonMakesLive}
          />
        </fieldset>
        <SaveActions isUnsaved={isUnsaved} isSaved={isSaved} busy={submission.busy} />
      </form>
    </>
  );
}
