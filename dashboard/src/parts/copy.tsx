import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

interface CopyProps {
  readonly text: string;
  readonly label: string;
  /** Instead of the whole text. */
  readonly shown?: string;
  /** In a line of text, not in a box of its own. */
  readonly inline?: true;
  readonly onCopied?: () => void;
}

/** A text to use elsewhere, with a button that copies it. */
export function Copy({ text, label, shown = text, inline, onCopied }: CopyProps) {
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
    <span class={inline ? "copy inline" : "copy"}>
      {code}
      <Button kind="quiet" onClick={copy} {...(isIcon && { title: `Copy ${label}` })}>
        {isIcon && <CopyIcon />}
        <span class={isIcon ? "visually-hidden" : ""}>{state === "copied" ? "Copied" : "Copy"}</span>
        <span class="visually-hidden"> {label}</span>
      </Button>
      <span class="visually-hidden" role="status">
        {state === "copied" ? `${label} copied` : state === "failed" ? "Select the text and copy it yourself" : ""}
      </span>
    </span>
  );
}

/** Two sheets, one over the other. */
function CopyIcon() {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <rect x="5.75" y="5.75" width="7.5" height="8.5" rx="1.5" />
      <path d="M10.25 3.25v-.5a1 1 0 0 0-1-1h-5.5a1 1 0 0 0-1 1v6.5a1 1 0 0 0 1 1h.5" />
    </svg>
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
