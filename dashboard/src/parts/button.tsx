import type { ButtonHTMLAttributes, ComponentChildren } from "preact";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "type"> {
  readonly kind?: "primary" | "secondary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** What this button started is still running. */
  readonly busy?: boolean;
  readonly children: ComponentChildren;
}

export function Button({ kind = "secondary", type = "button", busy = false, children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} class={`button ${kind}`} aria-disabled={busy} aria-busy={busy}>
      {children}
    </button>
  );
}

interface FormActionsProps {
  /** What the button that sends the form says. */
  readonly submit: string;
  readonly kind?: "primary" | "danger";
  readonly busy: boolean;
  readonly onCancel: () => void;
}

/** How a form ends: left without sending it, or sent. */
export function FormActions({ submit, kind = "primary", busy, onCancel }: FormActionsProps) {
  return (
    <div class="actions">
      <Button onClick={onCancel}>Cancel</Button>
      <Button kind={kind} type="submit" busy={busy}>
        {submit}
      </Button>
    </div>
  );
}
