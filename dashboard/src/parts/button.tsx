import type { ButtonHTMLAttributes, ComponentChildren, ComponentProps } from "preact";
import { Icon } from "./icon.tsx";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "type"> {
  readonly kind?: "primary" | "secondary" | "danger" | "quiet";
  /** It begins what cannot simply be undone. */
  readonly risky?: true;
  readonly type?: "button" | "submit";
  /** The action that this button started is still running. */
  readonly busy?: boolean;
  /** There is nothing for it to do now. It keeps the focus, unlike a disabled one; whoever handles the click or the form does nothing. */
  readonly idle?: boolean;
  /** Text of the button while it is busy. */
  readonly doing?: string;
  readonly icon?: ComponentProps<typeof Icon>["of"];
  readonly children: ComponentChildren;
}

export function Button({
  kind = "secondary",
  risky,
  type = "button",
  busy = false,
  idle = false,
  doing,
  icon,
  children,
  ...rest
}: ButtonProps) {
  const look = risky ? `button ${kind} risky` : `button ${kind}`;
  return (
    <button {...rest} type={type} class={look} aria-disabled={busy || idle} aria-busy={busy}>
      {icon && <Icon of={icon} />}
      {icon ? <span>{busy && doing ? doing : children}</span> : busy && doing ? doing : children}
    </button>
  );
}

interface RowButtonProps extends Omit<ButtonProps, "children"> {
  readonly label: string;
  /** Name of what the button acts on, for people who do not see in which row it is. */
  readonly of: string;
}

/** A button in a row of a list, or in the row's menu. */
export function RowButton({ label, of, kind = "quiet", ...rest }: RowButtonProps) {
  return (
    <Button kind={kind} {...rest}>
      {label}
      <span class="visually-hidden"> {of}</span>
    </Button>
  );
}

interface LinkButtonProps {
  readonly href: string;
  readonly kind?: "primary" | "secondary" | "quiet";
  readonly icon: ComponentProps<typeof Icon>["of"];
  readonly children: ComponentChildren;
}

/** A link to another site, such as a game's, that looks like a button. It opens in a tab of its own. */
export function LinkButton({ href, kind = "secondary", icon, children }: LinkButtonProps) {
  return (
    <a class={`button ${kind}`} href={href} target="_blank" rel="noreferrer">
      <Icon of={icon} />
      <span>{children}</span>
    </a>
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
