import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** The Escape key does not close it. */
  readonly modal?: "must decide";
  readonly children: ComponentChildren;
}

/**
 * A window over the page; the browser keeps the focus inside of it. If what has the focus goes away, as a button does whose step is over, the
 * focus goes to the way on from a problem, else to the title. When the window closes, the focus goes back to where it was, or,
 * if that is gone, to the row or the view that it was in.
 */
export function Dialog({ title, onClose, modal, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    const row = opener?.closest<HTMLElement>(".row");
    element.current?.showModal();
    const watched = new MutationObserver(() => keepFocus(element.current));
    if (element.current) watched.observe(element.current, { childList: true, subtree: true });
    return () => {
      watched.disconnect();
      // After the view is drawn without what has just been closed.
      setTimeout(() => [opener, row, document.querySelector("h1")].find((one) => one && takesFocus(one)));
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (modal === undefined) onClose();
      }}
    >
      <h2 id={id} tabIndex={-1} dir="auto">
        {title}
      </h2>
      <div class="dialog-content">{children}</div>
    </dialog>
  );
}

/** Waits for the rest of what is drawn, which may take the focus itself. */
function keepFocus(dialog: HTMLDialogElement | null): void {
  setTimeout(() => {
    if (!dialog?.open || document.activeElement !== document.body) return;
    const problem = dialog.querySelector("[role=alert]");
    const wayOn = problem && (problem.querySelector("button") ?? dialog.querySelector(".actions .primary"));
    (wayOn ?? dialog.querySelector("h2"))?.focus({ preventScroll: true });
  });
}

function takesFocus(element: HTMLElement): boolean {
  if (element.matches(".row")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}
