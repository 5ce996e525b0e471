import { X } from "lucide";
import { type Toast, useDashboard } from "../dashboard.ts";
import { Button } from "./button.tsx";
import { useSubmission } from "./form.ts";
import { Icon } from "./icon.tsx";
import { Problem } from "./notice.tsx";

/** A message about what has just happened. It stays until it is closed: nobody has to read it in time (WCAG 2.2, 2.2.1). */
export function ShownToast({ toast: { text, act } }: { toast: Toast }) {
  const { showToast } = useDashboard();
  const submission = useSubmission();
  const close = () => showToast(undefined);
  return (
    <div class="toast">
      <div>
        <p>{text}</p>
        <Problem of={submission} />
      </div>
      {act && (
        <Button busy={submission.busy} doing={act.doing} onClick={() => submission.run(() => act.run())}>
          {act.label}
        </Button>
      )}
      <button type="button" class="button quiet" aria-label="Close the message" onClick={close}>
        <Icon of={X} />
      </button>
    </div>
  );
}
