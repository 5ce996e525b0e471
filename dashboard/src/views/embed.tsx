import { useId, useState } from "preact/hooks";
import {
  embedAdvice,
  embedCode,
  type FrameFeature,
  type FrameShape,
  framePermissions,
  frameShapeNames,
} from "../../../contract/api/projects/embed-code.ts";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { Copy } from "../parts/copy.tsx";
import { Choice, Segments } from "../parts/field.tsx";

interface EmbedProps {
  readonly url: string;
  readonly name: string;
  readonly settings: Pick<ReleaseSettings, "frame" | "isolation">;
}

/** Embed code as its person chooses it, if the release's settings permit it: code that no page may use would show an empty frame. */
export function Embed({ url, name, settings }: EmbedProps) {
  const { frame, isolation } = settings;
  // Settings and the dialog Share may show one each.
  const id = useId();
  const [shape, setShape] = useState<FrameShape>("16:9");
  const [features, setFeatures] = useState<readonly FrameFeature[]>([]);
  const [hasKeyboard, setKeyboard] = useState(false);
  const advice = embedAdvice(isolation);
  if (frame === "nobody") return <p class="hint">Its settings let no other page show it.</p>;
  return (
    <>
      <p class="label">To show it on another page</p>
      <Copy text={embedCode(url, name, { shape, features, hasKeyboard })} label="the embed code" />
      {advice && <p class="hint">{advice}</p>}
      {frame !== "everybody" && <p class="hint">Only these sites may: {frame.join(", ")}.</p>}
      <details class="fold">
        <summary>Shape, keyboard and permissions</summary>
        <div class="embed-wishes">
          <Segments
            legend="Shape"
            name={`${id}-shape`}
            choices={frameShapeNames.map((value) => [value, value] as const)}
            chosen={shape}
            onChosen={(value) => setShape(value as FrameShape)}
          />
          <Choice
            type="checkbox"
            name={`${id}-keyboard`}
            checked={hasKeyboard}
            onChecked={setKeyboard}
            label="Keyboard from the start"
            hint="Without it the arrow keys scroll the page around the game until the player clicks into it."
          />
          <fieldset>
            <legend>What the game may ask for there</legend>
            {framePermissions.map(({ features: own, words }) => (
              <Choice
                key={words}
                type="checkbox"
                name={`${id}-${own[0]}`}
                checked={features.includes(own[0])}
                onChecked={(isWanted) =>
                  setFeatures((all) => [
                    ...all.filter((each) => !(own as readonly FrameFeature[]).includes(each)),
                    ...(isWanted ? own : []),
                  ])
                }
                label={words}
              />
            ))}
          </fieldset>
        </div>
      </details>
    </>
  );
}
