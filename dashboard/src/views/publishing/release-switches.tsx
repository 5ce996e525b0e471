import { settingNames } from "../../../../contract/api/releases/setting-words.ts";
import { threadsInWords } from "../../../../contract/folder/advice.ts";
import type { SettingChoices } from "../../../../publisher/live-settings.ts";
import type { Choices, Switch, Switches } from "../../../../publisher/settings.ts";
import { bytesInWords, counted } from "../../format.ts";
import { Choice } from "../../parts/field.tsx";
import type { PreparedFolder } from "../../publish/protocol.ts";
import { FrameSwitch, type SitesDraft } from "./frame-switch.tsx";

/** Whether something is worth a look: it was recognised, and svc.toml does not decide it, or the person chose something earlier. */
export function isRecognised({ switches: { isolation, spa, immutable }, entries }: PreparedFolder): boolean {
  return (
    (isolation.why !== undefined && isolation.by !== "file") ||
    (immutable.patterns.length > 0 && immutable.by === "nobody") ||
    [isolation, spa, immutable].some(({ by }) => by === "person") ||
    entries.some(({ isLeftOut }) => isLeftOut)
  );
}

interface SwitchesProps {
  /** A review says where each value comes from; settings show those of the live release, with embedding unfolded. */
  readonly place: "review" | "settings";
  readonly switches: Switches;
  /** As of the last click: `switches` follow. */
  readonly choices: SettingChoices;
  readonly onChoice: (choice: SettingChoices) => void;
  readonly draft: SitesDraft | undefined;
  readonly onDraft: (draft: SitesDraft | undefined) => void;
}

/** Switches for the settings of a release. A value of svc.toml cannot be changed here. */
export function ReleaseSwitches({ place, switches, choices, onChoice, draft, onDraft }: SwitchesProps) {
  const { isolation, spa, immutable, frame, preload, whole } = switches;
  return (
    <>
      <fieldset>
        <legend>How players get it</legend>
        <Setting
          place={place}
          of={isolation}
          chosen={choices.isolation}
          name="isolation"
          label={settingNames.isolation}
          hint={
            isolation.why
              ? `${threadsInWords(isolation.why)}.`
              : "For a build with threads, or a SharedArrayBuffer. What it loads from other hosts must allow it."
          }
          onChecked={(isOn) => onChoice({ isolation: isOn })}
        />
        <Setting
          place={place}
          of={spa}
          chosen={choices.spa}
          name="spa"
          label={settingNames.spa}
          hint="A page without a file shows index.html, as the routers of web frameworks need."
          onChecked={(isOn) => onChoice({ spa: isOn })}
        />
        {immutable.patterns.length > 0 && (
          <Setting
            place={place}
            of={immutable}
            chosen={choices.immutable}
            name="immutable"
            label={settingNames.immutable}
            hint={`${immutable.patterns.join(", ")}: players load these once. Only for names that change with the content.`}
            onChecked={(isOn) => onChoice({ immutable: isOn })}
          />
        )}
        <Setting
          place={place}
          of={whole}
          chosen={choices.whole}
          name="whole"
          label={settingNames.updates}
          hint="Each file comes from its own URL. Otherwise browsers keep large files, and players load only what an update changes."
          onChecked={(isOn) => onChoice({ whole: isOn })}
        />
        {preload.paths.length > 0 && (
          <p class="hint">
            Loaded with each page: {preload.paths.join(", ")}.
            {preload.isByFile ? " svc.toml decides it." : place === "review" && " As chosen before."}
          </p>
        )}
      </fieldset>
      <FrameSwitch
        isOpen={place === "settings"}
        of={frame}
        chosen={choices.frame}
        draft={draft}
        onDraft={onDraft}
        onChoice={(value) => onChoice({ frame: value })}
      />
    </>
  );
}

interface LeftOutProps {
  readonly entries: PreparedFolder["entries"];
  /** As of the last click: `entries` follow. */
  readonly leftOut: readonly string[];
  readonly onChoice: (choice: Pick<Choices, "leftOut">) => void;
}

/** What of the folder is published. */
export function LeftOut({ entries, leftOut, onChoice }: LeftOutProps) {
  const named = entries.filter(({ name }) => leftOut.includes(name));
  const leave = (name: string, isLeft: boolean) => {
    const others = leftOut.filter((other) => other !== name);
    onChoice({ leftOut: isLeft ? [...others, name] : others });
  };
  return (
    <details class="fold">
      <summary>
        {named.length === 0 ? "Leave something out" : `Left out: ${named.map(({ name }) => name).join(", ")}`}
      </summary>
      <div class="entries">
        {entries.slice(0, shown).map(({ name, files, bytes }) => (
          <Choice
            key={name}
            type="checkbox"
            name={`publish ${name}`}
            label={name}
            hint={`${name.endsWith("/") ? `${counted(files, "file")}, ` : ""}${bytesInWords(bytes)}`}
            checked={!leftOut.includes(name)}
            disabled={name === "index.html"}
            onChecked={(isIn) => leave(name, !isIn)}
          />
        ))}
        {entries.length > shown && <p class="hint">and {entries.length - shown} more</p>}
      </div>
    </details>
  );
}

const shown = 200;

interface SettingProps extends Pick<SwitchesProps, "place"> {
  readonly of: Switch;
  readonly chosen: boolean | undefined;
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly onChecked: (isOn: boolean) => void;
}

function Setting({ place, of: { isOn, by, live }, chosen = isOn, hint, ...rest }: SettingProps) {
  const checked = by === "file" ? isOn : chosen;
  const because =
    by === "file" ? " svc.toml decides it." : by === "kept" && place === "review" ? " As chosen before." : "";
  const change = live === undefined || live === checked ? "" : ` Live: ${live ? "on" : "off"}.`;
  return <Choice type="checkbox" checked={checked} disabled={by === "file"} hint={hint + because + change} {...rest} />;
}
