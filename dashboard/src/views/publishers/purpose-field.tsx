import { Segments } from "../../parts/field.tsx";

/** Purposes of jobs, with proposals for the rest: previews are of pull requests, which have no environment with reviewers. */
export const proposals = {
  publish: { environment: "production", events: ["push", "release", "workflow_dispatch"] },
  preview: { environment: "", events: ["pull_request"] },
} as const;

export type Purpose = keyof typeof proposals;

/** Purposes, in the words after "may". */
export const purposes: Record<Purpose, string> = {
  publish: "publish this project",
  preview: "open previews of this project",
};

interface PurposeFieldProps {
  readonly chosen: Purpose;
  readonly onChosen: (purpose: Purpose) => void;
}

/** Whether the jobs may publish, or only open previews. */
export function PurposeField({ chosen, onChosen }: PurposeFieldProps) {
  return (
    <Segments
      legend="These jobs may"
      name="may"
      choices={[
        ["publish", "Publish"],
        ["preview", "Only open previews, for pull requests"],
      ]}
      chosen={chosen}
      onChosen={(value) => onChosen(value === "preview" ? value : "publish")}
    />
  );
}
