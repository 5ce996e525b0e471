import { TextField } from "./field.tsx";
import type { Submission } from "./form.ts";

interface NameFieldProps {
  readonly label?: string;
  readonly hint?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly submission: Submission;
  readonly optional?: true;
  readonly autoFocus?: true;
}

/** The name of an account, a project or a token: one line of at most 80 characters, `/name` of the request. */
export function NameField({ label = "Name", hint, value, onValue, submission, optional, ...rest }: NameFieldProps) {
  return (
    <TextField
      label={optional ? `${label} (optional)` : label}
      hint={hint}
      value={value}
      onValue={onValue}
      maxLength={80}
      {...rest}
      {...(!optional && { required: true as const })}
      error={submission.fieldError("/name")}
    />
  );
}
