import type { ButtonHTMLAttributes, ComponentChildren } from "preact";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "type"> {
  readonly kind?: "primary" | "secondary" | "danger" | "quiet";
  /** It begins what cannot simply be undone. */
  readonly risky?: true;
  readonly type?: "button" | "submit";
  /** The action that this button started is still running. */
  readonly busy?: boolean;
  /** Text of the button while it is busy. */
  readonly doing?: string;
  readonly children: ComponentChildren;
}

export function Button({
  kind = "secondary",
  risky,
  type = "button",
  busy = false,
  doing,
  children,
  ...rest
}: ButtonProps) {
  const look = risky ? `button ${kind} risky` : `button ${kind}`;
  return (
    <button {...rest} type={type} class={look} aria-disabled={busy} aria-busy={busy}>
      {busy && doing ? doing : children}
    </button>
  );
}

interface RowButtonProps extends Omit<ButtonProps, "kind" | "children"> {
  readonly label: string;
  /** Name of what the button acts on, for people who do not see in which row it is. */
  readonly of: string;
}

/** A button in a row of a list. */
export function RowButton({ label, of, ...rest }: RowButtonProps) {
  return (
    <Button kind="quiet" {...rest}>
      {label}
      <span class="visually-hidden"> {of}</span>
    </Button>
  );
}

interface FormActionsProps {
  /** Text of the button that sends the form, and its text while that is under way. */
  readonly submit: string;
  readonly doing: string;
  readonly kind?: "primary" | "danger";
  readonly busy: boolean;
  readonly onCancel: () => void;
}

/** The two ways to leave a form: without sending it, or by sending it. */
export function FormActions({ submit, doing, kind = "primary", busy, onCancel }: FormActionsProps) {
  return (
    <div class="actions">
      <Button onClick={onCancel}>Cancel</Button>
      <Button kind={kind} type="submit" busy={busy} doing={doing}>
        {submit}
      </Button>
    </div>
  );
}
