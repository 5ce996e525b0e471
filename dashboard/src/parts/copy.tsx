import { Copy as CopyIcon } from "lucide";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface CopyProps {
  readonly text: string;
  readonly label: string;
  /** Instead of the whole text. */
  readonly shown?: string;
  /** In a line of text, not in a box of its own. */
  readonly inline?: true;
  /** Several lines, as a file has them. */
  readonly lines?: true;
  readonly onCopied?: () => void;
}

/** A text to use elsewhere, with a button that copies it. */
export function Copy({ text, label, shown = text, inline, lines, onCopied }: CopyProps) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
      onCopied?.();
    } catch {
      setState("failed");
    }
  };
  const isIcon = inline && state !== "copied";
  const code = inline ? (
    <code title={text}>{shown}</code>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <code tabIndex={0}>{shown}</code>
  );
  return (
    <span class={`copy${inline ? " inline" : ""}${lines ? " lines" : ""}`}>
      {code}
      <Button kind="quiet" onClick={copy} {...(isIcon && { title: `Copy ${label}` })}>
        {isIcon && <Icon of={CopyIcon} />}
        <span class={isIcon ? "visually-hidden" : ""}>{state === "copied" ? "Copied" : "Copy"}</span>
        <span class="visually-hidden"> {label}</span>
      </Button>
      <span class="visually-hidden" role="status">
        {state === "copied" ? `${label} copied` : state === "failed" ? "Select the text and copy it yourself" : ""}
      </span>
    </span>
  );
}

interface CommandsProps {
  readonly steps: readonly { readonly title: string; readonly command: string }[];
}

/** Commands to type, one after the other. */
export function Commands({ steps }: CommandsProps) {
  return (
    <ol class="commands">
      {steps.map(({ title, command }) => (
        <li key={command}>
          <p>{title}</p>
          <Copy text={command} label={`the command: ${title}`} />
        </li>
      ))}
    </ol>
  );
}
