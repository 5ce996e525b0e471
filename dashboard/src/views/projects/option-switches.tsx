import { useDashboard } from "../../dashboard.ts";
import { viewsWithout } from "../../option.ts";
import { Choice } from "../../parts/field.tsx";
import type { Project } from "../../resources.ts";

type Option = Project["switched_off"][number];

interface OptionSwitchesProps {
  readonly switchedOff: readonly Option[];
  readonly onSwitchedOff: (options: Option[]) => void;
}

/** A checkbox for each option of the stage that a project can do without. */
export function OptionSwitches({ switchedOff, onSwitchedOff }: OptionSwitchesProps) {
  const { leftOut = [] } = useDashboard().configuration;
  const all = viewsWithout([]).flatMap(({ Switch }) => Switch ?? []);
  const offered = all.filter(({ name }) => !leftOut.includes(name));
  if (offered.length === 0) return null;
  return (
    <fieldset>
      <legend>For players</legend>
      {offered.map(({ name, ...words }) => (
        <Choice
          key={name}
          type="checkbox"
          name={name}
          {...words}
          checked={!switchedOff.includes(name)}
          // Always in one order, so that off and on again is no change.
          onChecked={(isOn) =>
            onSwitchedOff(
              all.map((each) => each.name).filter((each) => (each === name ? !isOn : switchedOff.includes(each))),
            )
          }
        />
      ))}
    </fieldset>
  );
}
