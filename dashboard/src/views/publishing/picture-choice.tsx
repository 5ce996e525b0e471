import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../messages.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Choices, ChosenPicture } from "../../publish/choices.ts";
import { blobOf, chosenPicture } from "../../publish/chosen-picture.ts";
import { Refusal } from "../../publish/refusal.ts";

interface PictureChoiceProps {
  /** The path of the picture that the release has. */
  readonly path: string | undefined;
  readonly chosen: Choices["picture"];
  readonly onChosen: (picture: ChosenPicture | undefined) => void;
  /** What people call the game. */
  readonly name: string;
}

/** Picture of the game in lists, on the public page and on other sites' cards: of the folder, or chosen here. */
export function PictureChoice({ path, chosen, onChosen, name }: PictureChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
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
      <legend>Picture</legend>
      <div class="pictured">
        {chosen && ("bytes" in chosen ? <Thumbnail of={chosen} /> : <Kept name={name} url={chosen.url} />)}
        <p class="hint">
          {chosen
            ? `Lists, the game’s page and links to it show this${"bytes" in chosen ? "" : ", which was chosen for the last live release"}.`
            : path
              ? `Lists, the game’s page and links to it show ${path}.`
              : "It has none: lists show its first letters. Choose one, or put a cover.png beside index.html."}
        </p>
      </div>
      {problem && <Notice kind="problem">{problem}</Notice>}
      <div class="actions">
        {chosen && (
          <Button kind="quiet" onClick={() => onChosen(undefined)}>
            Remove picture
          </Button>
        )}
        <Button onClick={() => input.current?.click()}>{path ? "Choose another picture" : "Choose a picture"}</Button>
        <input ref={input} type="file" hidden accept="image/*" aria-label="Choose a picture" onChange={take} />
      </div>
    </fieldset>
  );
}

function Kept({ name, url }: { name: string; url: string | null }) {
  return url === null ? null : <GamePicture project={{ name, picture_url: url }} />;
}

/** On a canvas, because the page's policy loads no image from its own memory. */
function Thumbnail({ of: picture }: { of: ChosenPicture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    void createImageBitmap(blobOf(picture)).then((bitmap) => {
      if (canvas.current === null) return;
      canvas.current.width = bitmap.width;
      canvas.current.height = bitmap.height;
      canvas.current.getContext("2d")?.drawImage(bitmap, 0, 0);
    });
  }, [picture.bytes]);
  return <canvas ref={canvas} class="thumbnail" role="img" aria-label="The picture that you have chosen" />;
}
