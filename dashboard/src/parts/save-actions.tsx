import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

/** The end of a form that stays on the page after it was saved. */
export function SaveActions({ isSaved, busy }: { readonly isSaved: boolean; readonly busy: boolean }) {
  return (
    <div class="actions">
      {isSaved && <Notice kind="done">Saved</Notice>}
      <Button kind="primary" type="submit" busy={busy} doing="Saving…">
        Save
      </Button>
    </div>
  );
}
