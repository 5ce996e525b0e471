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
 * A window over the page; the browser keeps the focus inside of it. When it closes, the focus goes back to where it was, or,
 * if that is gone, to the row or the view that it was in.
 */
export function Dialog({ title, onClose, modal, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const row = before?.closest<HTMLElement>(".row");
    element.current?.showModal();
    return () => {
      // After the view is drawn without what has just been closed.
      setTimeout(() => [before, row, document.querySelector("h1")].find((one) => one && takesFocus(one)));
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
      <h2 id={id} dir="auto">
        {title}
      </h2>
      {children}
    </dialog>
  );
}

function takesFocus(element: HTMLElement): boolean {
  if (element.matches(".row")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}
