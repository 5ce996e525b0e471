import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

interface SaveActionsProps {
  /** Whether the form has something to save: without it the button does nothing. */
  readonly isUnsaved: boolean;
  /** Whether the form has been saved since it was opened. */
  readonly isSaved: boolean;
  readonly busy: boolean;
}

/** The end of a form that stays on the page after it was saved. */
export function SaveActions({ isUnsaved, isSaved, busy }: SaveActionsProps) {
  return (
    <div class="actions">
      {isSaved && !isUnsaved && <Notice kind="done">Saved</Notice>}
      <Button kind="primary" type="submit" busy={busy} idle={!isUnsaved} doing="Saving…">
        Save
      </Button>
    </div>
  );
}
