import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { FormActions } from "./button.tsx";
import { TextField } from "./field.tsx";
import { useSubmission } from "./form.ts";
import { Problem } from "./notice.tsx";

interface ConfirmationFormProps {
  /** Word that must be typed. */
  readonly word: string;
  /** Text of the button that sends the form, and its text while that is under way. */
  readonly submit: string;
  readonly doing: string;
  /** Action that cannot simply be undone; it is done once the word is typed. */
  readonly onConfirmed: () => Promise<void>;
  readonly onCancel: () => void;
  /** Explanation of what the action means, above the field for the word. */
  readonly children: ComponentChildren;
  /** Below where the word is typed. */
  readonly hint?: string;
}

/** Form in which a person types a word before an action that cannot simply be undone. */
export function ConfirmationForm({
  word,
  submit,
  doing,
  onConfirmed,
  onCancel,
  children,
  hint,
}: ConfirmationFormProps) {
  const submission = useSubmission();
  const [typed, setTyped] = useState("");
  /** Something else was typed when the form was sent. */
  const [missed, setMissed] = useState(false);
  const send = (event: Event) => {
    event.preventDefault();
    setMissed(typed !== word);
    return typed === word ? submission.run(onConfirmed) : undefined;
  };
  return (
    <form onSubmit={send}>
      {children}
      <TextField
        label={`Type ${word} to go on`}
        value={typed}
        onValue={setTyped}
        spellcheck={false}
        autocapitalize="none"
        required
        error={missed && typed !== word ? `Type exactly: ${word}` : undefined}
      />
      {hint && <p class="hint">{hint}</p>}
      <Problem of={submission} />
      <FormActions kind="danger" submit={submit} doing={doing} busy={submission.busy} onCancel={onCancel} />
    </form>
  );
}
