import { useState } from "preact/hooks";
import { bytesInWords, counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import type { Choices } from "../../publish/choices.ts";
import type { PreparedFolder, Selection } from "../../publish/protocol.ts";
import type { OpenedRelease } from "../../resources.ts";
import { Difference } from "../releases/make-live.tsx";
import { isSame, type SitesDraft } from "./frame-switch.tsx";
import { PictureChoice } from "./picture-choice.tsx";
import { ReleaseSwitches } from "./release-switches.tsx";

interface ReviewProps {
  /** What people call the game. */
  readonly name: string;
  readonly picked: Selection;
  readonly prepared: PreparedFolder;
  readonly opened: OpenedRelease;
  /** A choice is being read: what is shown is that of before. */
  readonly isChanging: boolean;
  readonly choices: Choices;
  readonly onChoice: (choice: Partial<Choices>) => void;
  readonly onPublish: (goal: "live" | "preview", message: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Content of the selection and the changes that it would make, before anything is sent. */
export function ReviewPublication({
  name,
  picked,
  prepared,
  opened,
  isChanging,
  choices,
  onChoice,
  onPublish,
  onClose,
}: ReviewProps) {
  const [message, setMessage] = useState("");
  const [draft, setDraft] = useState<SitesDraft>();
  const submission = useSubmission();
  const { files } = prepared;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const loadedBytes = files.reduce((sum, { size, br }) => sum + (br?.size ?? size), 0);
  const isLive = opened.release?.status === "live";
  // Sites that are written are sent only once they are a choice that can be.
  const isPending = isChanging || (draft !== undefined && !isSame(prepared.settings.frame, draft.origins));
  const publish = (goal: "live" | "preview") => !isPending && submission.run(() => onPublish(goal, message));
  return (
    <>
      <p role="status">
        {picked.name && <b>{picked.name}: </b>}
        {counted(files.length, "file")}, {bytesInWords(bytes)}
        {loadedBytes < bytes && `, compressed to ${bytesInWords(loadedBytes)} for players`}
        {!isLive && `. ${bytesInWords(opened.bytes_to_send)} are to send.`}
      </p>
      <Warnings prepared={prepared} />
      <ReleaseSwitches prepared={prepared} choices={choices} onChoice={onChoice} draft={draft} onDraft={setDraft} />
      {isLive && <p>Nothing to do: exactly this is live.</p>}
      {!isLive && opened.current_release && <Difference changes={opened} added="are new" />}
      <PictureChoice
        path={prepared.picture}
        chosen={choices.picture}
        name={name}
        onChosen={(picture) => onChoice({ picture })}
      />
      {opened.release?.status === "open" && <p class="hint">An upload of the same files was begun: it goes on.</p>}
      {!isLive && (
        <TextField
          label="What is new (optional)"
          hint="Players read it on the game’s public page once the release is live."
          value={message}
          onValue={setMessage}
        />
      )}
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

const shown = 5;

/** Problems that players would notice, and files that are not published. */
function Warnings({ prepared: { warnings, secrets, leftOut } }: { prepared: PreparedFolder }) {
  const some = secrets.slice(0, shown).join(", ");
  const more = secrets.length > shown ? ` and ${secrets.length - shown} more` : "";
  return (
    <>
      {warnings.length > 0 && (
        <Notice kind="note">
          {warnings.slice(0, 4 * shown).map((warning) => (
            <p key={warning}>{warning}</p>
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
          {counted(leftOut, "file")} left out, as usual: what is no part of a game, such as names that begin with a dot,
          and what .svcignore and svc.toml name. !NAME in .svcignore brings one back.
        </p>
      )}
    </>
  );
}
