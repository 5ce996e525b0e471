import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface MenuProps {
  /** Name of what the menu's buttons act on. */
  readonly of: string;
  readonly children: ComponentChildren;
}

/** Buttons that are seldom needed, behind one. Each of them closes it, and the browser by Escape and by a click beside it. */
export function Menu({ of, children }: MenuProps) {
  const id = useId();
  const opener = useRef<HTMLSpanElement>(null);
  /** Below its button: Firefox places a popover in the middle of the window. */
  const place = ({ currentTarget: { style } }: { currentTarget: HTMLElement }) => {
    const box = opener.current?.getBoundingClientRect();
    if (box === undefined) return;
    style.insetBlockStart = `${box.bottom}px`;
    style.insetInlineEnd = `${document.documentElement.clientWidth - box.right}px`;
  };
  return (
    <span ref={opener}>
      <Button kind="quiet" popovertarget={id}>
        <span aria-hidden="true">⋯</span>
        <span class="visually-hidden">More for {of}</span>
      </Button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: it hears the clicks of its buttons, which the keyboard makes too */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same */}
      <div
        id={id}
        class="menu"
        popover="auto"
        onBeforeToggle={place}
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        {children}
      </div>
    </span>
  );
}
