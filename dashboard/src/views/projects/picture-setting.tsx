import { useState } from "preact/hooks";
import { limits } from "../../../../contract/api/limits.ts";
import { useDashboard } from "../../dashboard.ts";
import { fileUrl } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button, FormActions } from "../../parts/button.tsx";
import { Choice } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { useLoaded } from "../../parts/loaded.ts";
import { Problem } from "../../parts/notice.tsx";
import { Unsaved } from "../../parts/unsaved.tsx";
import type { Project } from "../../resources.ts";
import { SectionHeading, sections } from "./settings-sections.tsx";

interface PictureSettingProps {
  readonly project: Project;
  readonly onSaved: () => Promise<void>;
}

/** A card with the picture of a live game, which may be another image of its live release, without an upload. */
export function PictureSetting({ project, onSaved }: PictureSettingProps) {
  const [isOpen, setOpen] = useState(false);
  const { picture, picture_url: url, play_url: home } = project;
  const close = () => setOpen(false);
  const path = url && home ? decodeURIComponent(url.slice(home.length)) : undefined;
  return (
    <>
      <SectionHeading of={sections.pictures} />
      <div class="card">
        <div class="pictured review-picture">
          <GamePicture project={project} size="review" />
          <div class="row-main">
            <p class="hint">
              {path
                ? `Lists, the game’s page and links in chats show ${path}${picture === null ? "" : ", which was chosen here"}.`
                : "It has no picture: lists show its first letters, and links in chats its name alone."}
            </p>
            {!isOpen && (
              <div class="row-side">
                <Button onClick={() => setOpen(true)}>{path ? "Choose another picture" : "Choose a picture"}</Button>
              </div>
            )}
          </div>
        </div>
        {isOpen && (
          <PictureForm
            project={project}
            onClose={close}
            onSaved={async () => {
              await onSaved();
              close();
            }}
          />
        )}
      </div>
    </>
  );
}

function PictureForm({ project, onSaved, onClose }: PictureSettingProps & { readonly onClose: () => void }) {
  const { api } = useDashboard();
  const { slug, picture, pictures, play_url: home, current_release: live } = project;
  const [chosen, setChosen] = useState(picture);
  const [others, setOthers] = useState(pictures);
  // What the form showed at first: the project may be read anew, also with what somebody else has changed.
  const [shown] = useState({ picture, pictures });
  const submission = useSubmission();
  const id = live?.id ?? "";
  const images = useLoaded(
    async () => (await api.call("GET /projects/:slug/releases/:id/changes", { params: { slug, id } })).pictures,
    [api, slug, id],
  );
  // What is not changed may name files that the live release lacks.
  const changes = {
    ...(chosen !== shown.picture && { picture: chosen }),
    ...(others !== shown.pictures && { pictures: others?.filter((path) => images.value?.includes(path)) ?? null }),
  };
  const isFull = (others?.length ?? 0) >= limits.picturesPerProject;
  const save = submission.onSubmit(async () => {
    await api.call("PATCH /projects/:slug", { params: { slug }, body: changes });
    await onSaved();
  });
  return (
    <>
      <Unsaved isUnsaved={Object.keys(changes).length > 0} />
      <form onSubmit={save}>
        <Problem of={images} />
        <fieldset disabled={images.value === undefined}>
          <legend>An image of the live release</legend>
          <div class="picture-options">
            <Option
              type="radio"
              name="As each release names it"
              isChosen={chosen === null}
              onChosen={() => setChosen(null)}
            />
            {images.value?.map((path) => (
              <Option
                key={path}
                type="radio"
                name={path}
                url={fileUrl(home ?? "", path)}
                isChosen={chosen === path}
                onChosen={() => setChosen(path)}
              />
            ))}
          </div>
          {images.value?.length === 0 && <p class="hint">It has none of at most 2 MiB. Publish one with the game.</p>}
        </fieldset>
        <fieldset disabled={images.value === undefined}>
          <legend>Up to {limits.picturesPerProject} more on the game’s page</legend>
          <Choice
            type="checkbox"
            name="named"
            label="Files that are named as screenshots"
            hint="screenshot.png, or what is in a folder screenshots."
            checked={others === null}
            onChecked={(isNamed) => setOthers(isNamed ? null : [])}
          />
          {others !== null && (
            <div class="picture-options">
              {images.value?.map((path) => (
                <Option
                  key={path}
                  type="checkbox"
                  name={path}
                  url={fileUrl(home ?? "", path)}
                  isChosen={others.includes(path)}
                  isDisabled={isFull && !others.includes(path)}
                  onChosen={(isChosen) =>
                    setOthers(isChosen ? [...others, path] : others.filter((each) => each !== path))
                  }
                />
              ))}
            </div>
          )}
        </fieldset>
        <p class="hint">Later releases that have the file show it too.</p>
        <Problem of={submission} />
        <FormActions submit="Save pictures" doing="Saving…" busy={submission.busy} onCancel={onClose} />
      </form>
    </>
  );
}

interface OptionProps {
  readonly type: "checkbox" | "radio";
  readonly name: string;
  readonly url?: string;
  readonly isChosen: boolean;
  readonly isDisabled?: boolean;
  readonly onChosen: (isChosen: boolean) => void;
}

function Option({ type, name, url, isChosen, isDisabled = false, onChosen }: OptionProps) {
  return (
    <label class="picture-option">
      {url && <img src={url} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" />}
      <span>
        <input
          type={type}
          name="picture"
          checked={isChosen}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onChosen(currentTarget.checked)}
        />{" "}
        <bdi>{name}</bdi>
      </span>
    </label>
  );
}
