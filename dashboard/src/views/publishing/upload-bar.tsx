import { Button } from "../../parts/button.tsx";
import type { Refusal } from "../../publish/refusal.ts";
import { ReadingProgress, SendingProgress, type Step } from "./steps.tsx";

interface UploadBarProps {
  /** Name of the project. */
  readonly name: string;
  readonly step: Step;
  readonly problem: Refusal | undefined;
  /** Shows it in its dialog. */
  readonly onShow: () => void;
  /** Cancels it, unless it is over. */
  readonly onClose: () => void;
}

/** State of what is being published, below whatever the person looks at meanwhile. */
export function UploadBar({ name, step, problem, onShow, onClose }: UploadBarProps) {
  const isOver = step.kind === "live" || step.kind === "preview" || problem !== undefined;
  return (
    <section class="upload" aria-label={`Publish ${name}`}>
      <div class="upload-state">
        <h2 class="upload-name" dir="auto">
          {name}
        </h2>
        {problem ? <p role="alert">{problem.message}</p> : <State step={step} />}
      </div>
      <div class="row-side">
        <Button kind="quiet" onClick={onClose}>
          {isOver ? "Close" : "Cancel"}
        </Button>
        <Button onClick={onShow}>{labels[step.kind]}</Button>
      </div>
    </section>
  );
}

const labels = {
  reading: "Show",
  review: "Look and publish",
  sending: "Show",
  live: "Share",
  preview: "Share",
} as const;

function State({ step }: { step: Step }) {
  if (step.kind === "reading") return <ReadingProgress state={step} />;
  if (step.kind === "sending") return <SendingProgress state={step} />;
  const text = {
    review: "It is ready to be published.",
    live: "It is live.",
    preview: "The preview is open.",
  }[step.kind];
  return <p role="status">{text}</p>;
}
