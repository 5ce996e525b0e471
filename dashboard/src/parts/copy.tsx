import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** A text to use elsewhere, with a button that copies it. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const copy = async () => {
    setState(
      await navigator.clipboard.writeText(text).then(
        () => "copied" as const,
        () => "failed" as const,
      ),
    );
  };
  return (
    <div class="copy">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it */}
      <code tabIndex={0}>{text}</code>
      <Button kind="quiet" aria-label={`Copy ${label}`} onClick={copy}>
        {state === "copied" ? "Copied" : "Copy"}
      </Button>
      <span class="visually-hidden" role="status">
        {state === "copied" ? `${label} copied` : state === "failed" ? "Select the text and copy it yourself" : ""}
      </span>
    </div>
  );
}

/** Commands to type, one after the other. */
export function Commands({ steps }: { steps: readonly { readonly title: string; readonly command: string }[] }) {
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
