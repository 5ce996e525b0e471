import { TextField } from "./field.tsx";

interface ConfirmationFieldProps {
  /** What must be typed. */
  readonly word: string;
  readonly typed: string;
  readonly onTyped: (text: string) => void;
  /** Something else was typed when the form was sent. */
  readonly missed: boolean;
}

/** Where a person types a word before an action that cannot simply be undone. */
export function ConfirmationField({ word, typed, onTyped, missed }: ConfirmationFieldProps) {
  return (
    <TextField
      label={`Type ${word} to go on`}
      value={typed}
      onValue={onTyped}
      spellcheck={false}
      autocapitalize="none"
      required
      error={missed && typed !== word ? `Type exactly: ${word}` : undefined}
    />
  );
}
