import { Ellipsis } from "lucide";
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

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
  /** Above its button, if there is no room below. */
  const fit = ({ currentTarget: menu }: { currentTarget: HTMLElement }) => {
    const box = opener.current?.getBoundingClientRect();
    const isBelow = box && box.bottom + menu.offsetHeight < innerHeight;
    if (box && !isBelow) menu.style.insetBlockStart = `${Math.max(0, box.top - menu.offsetHeight - 8)}px`;
  };
  return (
    <span ref={opener} class="menu-opener">
      <Button kind="quiet" popovertarget={id}>
        <Icon of={Ellipsis} />
        <span class="visually-hidden">More for {of}</span>
      </Button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: it hears the clicks of its buttons, which the keyboard makes too */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same */}
      <div
        id={id}
        class="menu"
        popover="auto"
        onBeforeToggle={place}
        onToggle={fit}
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        {children}
      </div>
    </span>
  );
}
