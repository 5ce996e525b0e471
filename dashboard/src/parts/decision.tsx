import { Button } from "./button.tsx";
import { useSubmission } from "./form.ts";
import { Problem } from "./notice.tsx";

interface DecisionProps {
  /** Text of the button that does it, and its text while that is under way. */
  readonly submit: string;
  readonly doing: string;
  readonly kind?: "primary" | "danger";
  /** Text of the other button. */
  readonly keep?: string;
  readonly onDecided: () => Promise<void>;
  readonly onCancel: () => void;
}

/** The two ways to leave a question, mostly about what cannot simply be undone, and what was wrong if it could not be done. */
export function Decision({ submit, doing, kind = "danger", keep = "Cancel", onDecided, onCancel }: DecisionProps) {
  const submission = useSubmission();
  return (
    <>
      <Problem of={submission} />
      <div class="actions">
        <Button onClick={onCancel}>{keep}</Button>
        <Button kind={kind} busy={submission.busy} doing={doing} onClick={() => submission.run(onDecided)}>
          {submit}
        </Button>
      </div>
    </>
  );
}
