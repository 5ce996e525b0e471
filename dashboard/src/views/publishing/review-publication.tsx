import { useState } from "preact/hooks";
import { type Advice, adviceInWords } from "../../../../contract/folder/advice.ts";
import type { Choices } from "../../../../publisher/settings.ts";
import { bytesInWords, counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Notice, Problem } from "../../parts/notice.tsx";
import { wordsFor } from "../../publish/offers.ts";
import type { PreparedFolder, Selection } from "../../publish/protocol.ts";
import type { ComparedRelease, Publication } from "../../publish/publication.ts";
import { NewProjectFields, useNewProject } from "../projects/new-project.tsx";
import { Difference } from "../releases/difference.tsx";
import { isSame, type SitesDraft } from "./frame-switch.tsx";
import { PictureChoice } from "./picture-choice.tsx";
import { isRecognised, LeftOut, ReleaseSwitches } from "./release-switches.tsx";

interface ReviewProps {
  /** Name of the game for people. */
  readonly name: string;
  readonly picked: Selection;
  readonly publication: Publication;
  /** Undefined for a new game. */
  readonly opened: ComparedRelease | undefined;
  /** A choice is being read: what is shown is that of before. */
  readonly isChanging: boolean;
  readonly choices: Choices;
  readonly onChoice: (choice: Partial<Choices>) => void;
  /** Makes the project of a new game; undefined if there is one. */
  readonly onCreate: ((body: { name: string; slug: string }) => Promise<void>) | undefined;
  /** What is new: it stays if somebody else's release comes between, and the changes are shown once more. */
  readonly message: string;
  readonly onMessage: (message: string) => void;
  readonly onPublish: (goal: "live" | "preview") => Promise<void>;
  readonly onClose: () => void;
}

/** Content of the selection and the changes that it would make, before anything is sent. */
export function ReviewPublication({ name, picked, publication, opened, isChanging, ...rest }: ReviewProps) {
  const { choices, onChoice, onCreate, onPublish, onClose, message, onMessage } = rest;
  const { prepared } = publication;
  const [draft, setDraft] = useState<SitesDraft>();
  // The first state alone: afterwards the person opens and closes it.
  const [isOpen] = useState(isRecognised(prepared));
  const project = useNewProject(prepared.title ?? nameOf(picked));
  const submission = useSubmission();
  const isLive = opened?.release?.status === "live";
  // Sites that are written are sent only once they are a choice that can be.
  const isPending = isChanging || (draft !== undefined && !isSame(prepared.settings.frame, draft.origins));
  const publish = (goal: "live" | "preview") =>
    !isPending &&
    submission.run(async () => {
      await onCreate?.({ name: project.name, slug: project.slug });
      await onPublish(goal);
    });
  return (
    <>
      <PictureChoice
        name={name}
        publication={publication}
        chosen={choices.picture}
        onChosen={(picture) => onChoice({ picture })}
      >
        <Sizes picked={picked} prepared={prepared} opened={opened} />
      </PictureChoice>
      <Problem of={submission} />
      {onCreate && <NewProjectFields of={project} submission={submission} />}
      <Warnings prepared={prepared} besideLive={opened?.advice ?? []} />
      {!isLive && (
        <TextField
          label="What is new (optional)"
          hint="Players read it on the game’s public page once the release is live."
          value={message}
          onValue={onMessage}
        />
      )}
      {isLive && <p>Nothing to do: exactly this is live.</p>}
      {!isLive && opened?.current_release && <Difference changes={opened} added="are new" />}
      {opened?.release?.status === "open" && <p class="hint">An upload of the same files was begun: it goes on.</p>}
      <details class="fold" open={isOpen}>
        <summary>Advanced</summary>
        <div class="grid">
          <ReleaseSwitches
            place="review"
            switches={prepared.switches}
            {...{ choices, onChoice, draft }}
            onDraft={setDraft}
          />
          <LeftOut entries={prepared.entries} leftOut={choices.leftOut} onChoice={onChoice} />
        </div>
      </details>
      <div class="actions">
        <Button onClick={onClose}>{isLive ? "Close" : "Cancel"}</Button>
        {!isLive && (
          <>
            <Button onClick={() => publish("preview")} busy={submission.busy || isPending}>
              Preview first
            </Button>
            <Button kind="primary" onClick={() => publish("live")} busy={submission.busy || isPending}>
              Publish
            </Button>
          </>
        )}
      </div>
    </>
  );
}

/** The name of what was dropped; the usual names of a build's folder say nothing about the game. */
function nameOf({ name }: Selection): string {
  const words = name
    .replace(/\.(?:zip|x?html?)$/i, "")
    .replace(/[-_]+/g, " ")
    .trim();
  return /^(?:build|dist|export|game|html5?|index|out|public|web|webgl|www)?$/i.test(words) ? "" : words;
}

function Sizes({ picked, prepared: { files }, opened }: Pick<ReviewProps, "picked" | "opened"> & PreparedProps) {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const loadedBytes = files.reduce((sum, { size, br }) => sum + (br?.size ?? size), 0);
  const isLive = opened?.release?.status === "live";
  return (
    <p role="status">
      {picked.name && <b>{picked.name}: </b>}
      {counted(files.length, "file")}, {bytesInWords(bytes)}
      {loadedBytes < bytes && `, compressed to ${bytesInWords(loadedBytes)} for players`}
      {opened && !isLive && `. ${toSendInWords(opened.amount)}`}
    </p>
  );
}

function toSendInWords({ sent, known }: ComparedRelease["amount"]): string {
  if (known === 0) return `${bytesInWords(sent)} are to send.`;
  return `${bytesInWords(sent)} of ${bytesInWords(sent + known)} are to send; the rest is on the server.`;
}

interface PreparedProps {
  readonly prepared: PreparedFolder;
}

const shown = 5;

/** Problems that players would notice, and files that are not published. */
function Warnings({ prepared, besideLive }: PreparedProps & { readonly besideLive: readonly Advice[] }) {
  const { secrets, leftOut } = prepared;
  const advice = [...prepared.advice, ...besideLive];
  const words = wordsFor(prepared.file);
  const some = secrets.slice(0, shown).join(", ");
  const more = secrets.length > shown ? ` and ${secrets.length - shown} more` : "";
  return (
    <>
      {advice.length > 0 && (
        <Notice kind="note">
          {advice.slice(0, 4 * shown).map((one, index) => (
            <p key={index} data-code={one.code}>
              {adviceInWords(one, words)}
            </p>
          ))}
        </Notice>
      )}
      {secrets.length > 0 && (
        <Notice kind="note">
          Not published, because the name says that it may contain a secret: {some}
          {more}. To publish it anyway, write !NAME into a file .svcignore.
        </Notice>
      )}
      {leftOut > 0 && (
        <p class="hint">
          {counted(leftOut, "file")} not published: hidden files, node_modules and the like, and what .svcignore and
          svc.toml name. !NAME in .svcignore brings one back.
        </p>
      )}
    </>
  );
}
