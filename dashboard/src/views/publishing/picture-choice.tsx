import { Image } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { picturesToChoose } from "../../../../contract/folder/picture.ts";
import {
  type Choices,
  type ChosenPicture,
  type FolderPicture,
  isBesideFolder,
} from "../../../../publisher/settings.ts";
import { messageOf } from "../../messages.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Notice } from "../../parts/notice.tsx";
import { blobOf, chosenPicture } from "../../publish/chosen-picture.ts";
import type { Publication } from "../../publish/publication.ts";
import { Refusal } from "../../publish/refusal.ts";

interface PictureChoiceProps {
  /** Name of the game for people. */
  readonly name: string;
  readonly publication: Publication;
  readonly chosen: Choices["picture"];
  readonly onChosen: (picture: ChosenPicture | FolderPicture | undefined) => void;
  /** Shown beside the picture. */
  readonly children: ComponentChildren;
}

/** Pictures of the folder that are offered. */
const maxOffered = 12;

/** Picture of the game in lists, on the public page and on other sites' cards: a file of the folder, or one that is chosen here. */
export function PictureChoice({ name, publication, chosen, onChosen, children }: PictureChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isListed, setListed] = useState(false);
  const { picture: path, files } = publication.prepared;
  const beside = chosen && isBesideFolder(chosen) ? chosen : undefined;
  const offered = picturesToChoose(files, maxOffered).filter((each) => each !== beside?.path);
  const choose = (picture: ChosenPicture | FolderPicture | undefined) => {
    setProblem(undefined);
    onChosen(picture);
  };
  const take = async () => {
    const file = input.current?.files?.[0];
    if (input.current) input.current.value = "";
    if (file === undefined) return;
    try {
      choose(await chosenPicture(file));
    } catch (error) {
      setProblem(error instanceof Refusal ? error.message : messageOf(error));
    }
  };
  return (
    <fieldset>
      <legend class="visually-hidden">Picture</legend>
      <div class="pictured review-picture">
        {beside && "url" in beside ? (
          <GamePicture project={{ name, picture_url: beside.url }} size="review" />
        ) : (
          <Thumbnail
            publication={publication}
            chosen={beside}
            path={path}
            label={beside ? "The picture that you have chosen" : `The picture ${path}`}
          />
        )}
        <div class="row-main">
          {children}
          <p class="hint">
            {beside
              ? `Lists, the game’s page and links to it show this${"bytes" in beside ? "" : ", which was chosen before"}.`
              : path
                ? `Lists, the game’s page and links to it show ${path}.`
                : "It has no picture: lists show its first letters. Choose one, or put a cover.png beside index.html."}
          </p>
          <div class="row-side">
            <Button onClick={() => input.current?.click()}>
              {path ? "Choose another picture" : "Choose a picture"}
            </Button>
            {offered.some((each) => beside || each !== path) && (
              <Button kind="quiet" aria-expanded={isListed} onClick={() => setListed(!isListed)}>
                Pictures of the folder
              </Button>
            )}
            {beside && (
              <Button kind="quiet" onClick={() => choose(undefined)}>
                Remove picture
              </Button>
            )}
          </div>
        </div>
        <input ref={input} type="file" hidden accept="image/*" aria-label="Choose a picture" onChange={take} />
      </div>
      {isListed && (
        <div class="picture-options">
          {offered.map((each) => (
            <label key={each} class="picture-option">
              <Thumbnail publication={publication} path={each} />
              <span>
                <input
                  type="radio"
                  name="folder-picture"
                  checked={!beside && each === (chosen?.path ?? path)}
                  onChange={() => choose({ path: each })}
                />{" "}
                <bdi>{each}</bdi>
              </span>
            </label>
          ))}
        </div>
      )}
      {problem && <Notice kind="problem">{problem}</Notice>}
    </fieldset>
  );
}

interface ThumbnailProps {
  readonly publication: Publication;
  readonly chosen?: ChosenPicture | undefined;
  /** Of a file of the folder, if none is chosen beside it. */
  readonly path: string | undefined;
  /** Left out: a text beside it says what it is. */
  readonly label?: string;
}

/** Thumbnail on a canvas, because the page's policy loads no image from its own memory. A drawing (SVG) cannot be shown so. */
function Thumbnail({ publication, chosen, path, label }: ThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isShown, setShown] = useState(false);
  const file = publication.prepared.files.find((each) => each.path === path);
  useEffect(() => {
    let isWanted = true;
    const draw = async () => {
      const blob = chosen ? blobOf(chosen) : file && (await publication.bytesOf(file.sha256));
      const bitmap = blob && (await createImageBitmap(blob).catch(() => undefined));
      if (!isWanted || canvas.current === null) return;
      setShown(bitmap !== undefined);
      if (bitmap === undefined) return;
      canvas.current.width = bitmap.width;
      canvas.current.height = bitmap.height;
      canvas.current.getContext("2d")?.drawImage(bitmap, 0, 0);
    };
    // Without the file's bytes there is no picture; publishing says why.
    draw().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [chosen?.bytes, file?.sha256]);
  return (
    <>
      {!isShown && (
        <span class="picture thumbnail">
          <Icon of={Image} />
        </span>
      )}
      <canvas
        ref={canvas}
        hidden={!isShown}
        class="thumbnail"
        {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
      />
    </>
  );
}
