import { TextField } from "./field.tsx";
import type { Submission } from "./form.ts";

interface NameFieldProps {
  readonly hint?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly submission: Submission;
  readonly autoFocus?: true;
}

/** The name of an account, a project or a token: one line of at most 80 characters, `/name` of the request. */
export function NameField({ submission, ...rest }: NameFieldProps) {
  return <TextField label="Name" maxLength={80} required error={submission.fieldError("/name")} {...rest} />;
}
