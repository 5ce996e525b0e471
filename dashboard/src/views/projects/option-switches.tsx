import { useDashboard } from "../../dashboard.ts";
import { Choice } from "../../parts/field.tsx";
import type { Project } from "../../resources.ts";

type Option = Project["switched_off"][number];

const words: Readonly<Record<Option, { readonly label: string; readonly hint: string }>> = {
  reports: {
    label: "Count crashes",
    hint: "Chrome and Edge report if a tab with the game crashes. Statistics shows how often; no player is followed.",
  },
  saves: {
    label: "Players can move their saved games",
    hint: "A page on the game’s own address saves them to a file and loads them in another browser.",
  },
};

interface OptionSwitchesProps {
  readonly switchedOff: readonly Option[];
  readonly onSwitchedOff: (options: Option[]) => void;
}

/** A checkbox for each option of the stage that a project can do without. */
export function OptionSwitches({ switchedOff, onSwitchedOff }: OptionSwitchesProps) {
  const { leftOut = [] } = useDashboard().configuration;
  const all = Object.keys(words) as Option[];
  const offered = all.filter((name) => !leftOut.includes(name));
  if (offered.length === 0) return null;
  return (
    <fieldset>
      <legend>For players</legend>
      {offered.map((name) => (
        <Choice
          key={name}
          type="checkbox"
          name={name}
          {...words[name]}
          checked={!switchedOff.includes(name)}
          // Always in one order, so that off and on again is no change.
          onChecked={(isOn) =>
            onSwitchedOff(all.filter((each) => (each === name ? !isOn : switchedOff.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
}
