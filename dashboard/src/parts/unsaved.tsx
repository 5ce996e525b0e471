import { useLayoutEffect, useState } from "preact/hooks";
import { hearLeaving } from "../router.ts";
import { Decision } from "./decision.tsx";
import { Dialog } from "./dialog.tsx";

/** The person has chosen to lose what is unsaved in all forms of the page. */
let isLeaving = false;

interface UnsavedProps {
  /** Whether the form has what would be lost. */
  readonly isUnsaved: boolean;
}

/** Asks before a link, Back or the command palette leads away from a form that is not saved; before the window closes the browser asks. */
export function Unsaved({ isUnsaved }: UnsavedProps) {
  const [leave, setLeave] = useState<() => void>();
  // At once: a person may leave before the next frame is drawn.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    const forget = hearLeaving((go) => {
      if (!isLeaving) setLeave(() => go);
      return !isLeaving;
    });
    addEventListener("beforeunload", warn);
    return () => {
      forget();
      removeEventListener("beforeunload", warn);
      isLeaving = false;
    };
  }, [isUnsaved]);
  if (leave === undefined) return null;
  const discard = async () => {
    isLeaving = true;
    setLeave(undefined);
    leave();
  };
  return (
    <Dialog title="Leave without saving?" onClose={() => setLeave(undefined)}>
      <p>What you have changed here is not saved, and is lost if you leave.</p>
      <Decision
        submit="Leave"
        doing="Leaving…"
        keep="Keep editing"
        onDecided={discard}
        onCancel={() => setLeave(undefined)}
      />
    </Dialog>
  );
}
