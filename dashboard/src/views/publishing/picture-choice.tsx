import { Image } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Choices, ChosenPicture } from "../../../../publisher/settings.ts";
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
  readonly onChosen: (picture: ChosenPicture | undefined) => void;
  /** Shown beside the picture. */
  readonly children: ComponentChildren;
}

/** Picture of the game in lists, on the public page and on other sites' cards: of the folder, or chosen here. */
export function PictureChoice({ name, publication, chosen, onChosen, children }: PictureChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const { picture: path } = publication.prepared;
  const take = async () => {
    const file = input.current?.files?.[0];
    if (input.current) input.current.value = "";
    if (file === undefined) return;
    try {
      onChosen(await chosenPicture(file));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Refusal ? error.message : messageOf(error));
    }
  };
  return (
    <fieldset>
      <legend class="visually-hidden">Picture</legend>
      <div class="pictured review-picture">
        {chosen && "url" in chosen ? (
          <GamePicture project={{ name, picture_url: chosen.url }} size="review" />
        ) : (
          <Thumbnail publication={publication} chosen={chosen} />
        )}
        <div class="row-main">
          {children}
          <p class="hint">
            {chosen
              ? `Lists, the game’s page and links to it show this${"bytes" in chosen ? "" : ", which was chosen before"}.`
              : path
                ? `Lists, the game’s page and links to it show ${path}.`
                : "It has no picture: lists show its first letters. Choose one, or put a cover.png beside index.html."}
          </p>
          <div class="row-side">
            <Button onClick={() => input.current?.click()}>
              {path ? "Choose another picture" : "Choose a picture"}
            </Button>
            {chosen && (
              <Button kind="quiet" onClick={() => onChosen(undefined)}>
                Remove picture
              </Button>
            )}
          </div>
        </div>
        <input ref={input} type="file" hidden accept="image/*" aria-label="Choose a picture" onChange={take} />
      </div>
      {problem && <Notice kind="problem">{problem}</Notice>}
    </fieldset>
  );
}

/** Thumbnail on a canvas, because the page's policy loads no image from its own memory. A drawing (SVG) cannot be shown so. */
function Thumbnail({ publication, chosen }: { publication: Publication; chosen: ChosenPicture | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isShown, setShown] = useState(false);
  const { files, picture } = publication.prepared;
  const file = files.find(({ path }) => path === picture);
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
        role="img"
        aria-label={chosen ? "The picture that you have chosen" : `The picture ${picture}`}
      />
    </>
  );
}
