import { useState } from "preact/hooks";
import { changedSettings, type ReleaseSettings } from "../../../../contract/api/releases/release-settings.ts";
import { settingInWords, settingNames, settingsInWords } from "../../../../contract/api/releases/setting-words.ts";
import {
  chosenSettings,
  liveSwitches,
  publishSettings,
  type SettingChoices,
} from "../../../../publisher/live-settings.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { Decision } from "../../parts/decision.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Table } from "../../parts/table.tsx";
import { Unsaved } from "../../parts/unsaved.tsx";
import { announceReleases } from "../../publish/publishing.ts";
import type { Project } from "../../resources.ts";
import type { SitesDraft } from "../publishing/frame-switch.tsx";
import { ReleaseSwitches } from "../publishing/release-switches.tsx";
import { unlessOutdated } from "../releases/outdated.ts";
import { offerUndo } from "../releases/undo.ts";

interface GameSettingsProps {
  readonly project: Project;
  /** The id of the live release, and its settings. */
  readonly current: string;
  readonly live: ReleaseSettings;
  /** Another release has gone live since they were read. */
  readonly onOutdated: () => Promise<void>;
}

/** A card with the settings of the live release: others take effect at once, as a release of the same files, after a look at what changes. */
export function GameSettings({ project, current, live, onOutdated }: GameSettingsProps) {
  const [choices, setChoices] = useState<SettingChoices>({});
  const [draft, setDraft] = useState<SitesDraft>();
  const [isOpen, setOpen] = useState(false);
  // Sites count as they are written, before the pause after which they are a choice.
  const chosen = { ...choices, ...(draft && { frame: draft.origins }) };
  const settings = chosenSettings(live, chosen);
  const names = changedSettings(live, settings);
  const isWrong = draft?.problem !== undefined;
  const close = () => setOpen(false);
  const reset = () => {
    setChoices({});
    setDraft(undefined);
  };
  return (
    <>
      <Unsaved isUnsaved={names.length > 0 || draft !== undefined} />
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (names.length > 0 && !isWrong) setOpen(true);
        }}
      >
        <ReleaseSwitches
          place="settings"
          switches={liveSwitches(live, choices)}
          choices={choices}
          onChoice={(choice) => setChoices((now) => ({ ...now, ...choice }))}
          draft={draft}
          onDraft={setDraft}
        />
        <p class="hint">
          A change is a release of the same files, and later ones begin with it. What svc.toml names, the next svc
          publish decides again.
        </p>
        {(names.length > 0 || draft !== undefined) && (
          <div class="actions">
            <Button onClick={reset}>Discard changes</Button>
            <Button kind="primary" type="submit" disabled={names.length === 0 || isWrong}>
              Review and make live
            </Button>
          </div>
        )}
      </form>
      {isOpen && (
        <Dialog title={titleOf(names, project)} onClose={close}>
          <Review {...{ project, current, live, onOutdated, settings, names }} onDone={reset} onClose={close} />
        </Dialog>
      )}
    </>
  );
}

/** The table below names the settings if there are several. */
function titleOf(names: readonly (keyof ReleaseSettings)[], { name }: Project): string {
  const [first] = names;
  const what = names.length === 1 && first ? settingNames[first] : counted(names.length, "setting");
  return `Change ${what} of ${name}?`;
}

interface ReviewProps extends GameSettingsProps {
  readonly settings: ReleaseSettings;
  /** The settings that change. */
  readonly names: readonly (keyof ReleaseSettings)[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Both values of what changes, before players get it. */
function Review({ project: { slug }, current, live, settings, names, onOutdated, onDone, onClose }: ReviewProps) {
  const dashboard = useDashboard();
  const { api } = dashboard;
  const makeLive = async () => {
    const change = publishSettings(api, { slug, current, settings });
    const { release, edge } = await unlessOutdated(change, onOutdated);
    onDone();
    onClose();
    announceReleases(slug, edge);
    const text = `#${release.number} is live: ${settingsInWords(names)}.`;
    offerUndo(dashboard, { slug, text, before: current, now: release.id });
  };
  return (
    <>
      <Table
        label="What changes"
        look="comparison"
        columns={["", "Live now", "After"]}
        rows={names.map((name) => [
          settingNames[name],
          <bdi key="live">{settingInWords(live, name)}</bdi>,
          <bdi key="after">{settingInWords(settings, name)}</bdi>,
        ])}
      />
      <p class="hint">Players get it with their next visit. The files stay as they are, and nothing is uploaded.</p>
      <Decision kind="primary" submit="Make live" doing="Making it live…" onDecided={makeLive} onCancel={onClose} />
    </>
  );
}
