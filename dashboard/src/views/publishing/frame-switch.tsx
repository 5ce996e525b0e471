import { useEffect } from "preact/hooks";
import { limits } from "../../../../contract/api/limits.ts";
import { type Frame, frameOriginProblem } from "../../../../contract/api/releases/release-settings.ts";
import { frameInWords as inWords, settingNames } from "../../../../contract/api/releases/setting-words.ts";
import type { Switches } from "../../../../publisher/settings.ts";
import { Segments, TextArea } from "../../parts/field.tsx";

/** Draft of the sites that may show the game, as a person has written it, before it is a choice. */
export interface SitesDraft {
  readonly text: string;
  readonly origins: readonly string[];
  /** Undefined for sites that can be sent. */
  readonly problem: string | undefined;
}

/** One site a line: a whole URL counts as its origin, and https:// may be left out. */
function draftOf(text: string): SitesDraft {
  const lines = text.split("\n").map((line) => line.trim());
  const origins = lines
    .filter((line) => line !== "")
    .map((line) => line.toLowerCase().replace(/^(?:https:\/\/)?([^/]+).*$/, "https://$1"));
  return { text, origins, problem: problemOf(origins) };
}

function problemOf(origins: readonly string[]): string | undefined {
  if (origins.length === 0) return "Write at least one site.";
  if (origins.length > limits.frameOrigins) return `Write at most ${limits.frameOrigins} sites.`;
  const wrong = origins.find((origin) => frameOriginProblem(origin) !== undefined);
  return wrong && `“${wrong.replace("https://", "")}” is no site: write it as portal.example or *.portal.example.`;
}

interface FrameSwitchProps {
  /** Whether it is unfolded at first. */
  readonly isOpen: boolean;
  readonly of: Switches["frame"];
  /** As of the last click: `of` follows. */
  readonly chosen: Frame | undefined;
  /** Undefined unless the person chooses sites. */
  readonly draft: SitesDraft | undefined;
  readonly onDraft: (draft: SitesDraft | undefined) => void;
  readonly onChoice: (frame: Frame) => void;
}

const pauseMilliseconds = 600;

/** Switch for the sites that may show the game in a frame. A value of svc.toml cannot be changed here. */
export function FrameSwitch({
  isOpen,
  of: { value, isByFile, live },
  chosen,
  draft,
  onDraft,
  onChoice,
}: FrameSwitchProps) {
  const frame = isByFile ? value : (chosen ?? value);
  const change = live === undefined || inWords(live) === inWords(frame) ? "" : ` (live: ${inWords(live)})`;
  useEffect(() => {
    if (draft === undefined || draft.problem !== undefined || isSame(frame, draft.origins)) return;
    // Each choice is compared with what is live, so not one for each letter.
    const timer = setTimeout(() => onChoice(draft.origins), pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [draft?.text]);
  if (isByFile)
    return (
      <p class="hint">
        {inWords(frame)} may show it in a frame, as svc.toml says{change}.
      </p>
    );
  const choose = (value: string) => {
    if (value === "sites") return onDraft(draftOf(typeof frame === "string" ? "" : frame.join("\n")));
    onDraft(undefined);
    onChoice(value === "nobody" ? "nobody" : "everybody");
  };
  const sites = draft ?? (typeof frame === "string" ? undefined : draftOf(frame.join("\n")));
  return (
    <details class="fold" open={isOpen}>
      <summary>
        {settingNames.frame}: {inWords(frame)}
        {change}
      </summary>
      <Segments
        legend="Who may show it on their page"
        name="frame"
        choices={[
          ["everybody", "Every site"],
          ["nobody", "No site"],
          ["sites", "Some sites"],
        ]}
        chosen={sites ? "sites" : String(frame)}
        onChosen={choose}
      >
        {sites && (
          <TextArea
            label="Sites, one a line"
            hint="As portal.example, or *.portal.example for all below it."
            rows={2}
            value={sites.text}
            onValue={(text) => onDraft(draftOf(text))}
            error={draft && draft.text !== "" ? draft.problem : undefined}
          />
        )}
      </Segments>
    </details>
  );
}

export function isSame(frame: Frame, origins: readonly string[]): boolean {
  return typeof frame !== "string" && frame.join() === origins.join();
}
