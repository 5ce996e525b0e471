import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

type ControlAttributes = { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean };

/** A label, what belongs to it, and, below, a hint and what is wrong. */
function Labelled({
  label,
  hint,
  error,
  children,
}: FieldProps & { children: (control: ControlAttributes) => JSX.Element }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(described && { "aria-describedby": described }), ...(error && { "aria-invalid": true }) })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} of={error} />
    </div>
  );
}

/** The API says "must not be empty" of a field; a person reads a sentence. */
export function FieldError({ of: detail, id }: { of: string | undefined; id?: string }) {
  if (!detail) return null;
  return (
    <p class="field-error" id={id}>
      {/^(must|is|has)\b/.test(detail) ? `This ${detail}.` : detail}
    </p>
  );
}

interface InputProps extends FieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: "datetime-local";
  /** The keyboard that a telephone shows. */
  readonly inputMode?: "url" | "numeric";
  readonly required?: true;
  readonly maxLength?: number;
  readonly spellcheck?: false;
  readonly autocapitalize?: "none";
  /** The view is for nothing else, so it takes the focus. */
  readonly autoFocus?: true;
}

export function TextField({ label, hint, error, onValue, autoFocus, ...rest }: InputProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => (
        <input
          ref={input}
          autocomplete="off"
          dir="auto"
          {...rest}
          {...control}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

type AreaProps = FieldProps & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly rows?: number;
};

export function TextArea({ label, hint, error, value, onValue, rows = 4 }: AreaProps) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          dir="auto"
          rows={rows}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

interface ChoiceProps {
  readonly type: "checkbox" | "radio";
  readonly name: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly label: string;
  readonly hint?: string;
  readonly disabled?: boolean;
}

/** A box or a radio button with its label; the whole row can be clicked. */
export function Choice({ type, name, checked, onChecked, label, hint, disabled = false }: ChoiceProps) {
  return (
    <label class="choice">
      <input
        type={type}
        name={name}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <span class="hint">{hint}</span>}
      </span>
    </label>
  );
}

interface SegmentsProps {
  readonly legend: string;
  readonly name: string;
  /** The value of each, and what it is called. */
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly chosen: string;
  readonly onChosen: (value: string) => void;
  /** Hides the legend, if the choices explain themselves. */
  readonly isCompact?: true;
  readonly children?: ComponentChildren;
}

/** One of a few short choices, side by side. */
export function Segments({ legend, name, choices, chosen, onChosen, isCompact, children }: SegmentsProps) {
  return (
    <fieldset>
      <legend class={isCompact && "visually-hidden"}>{legend}</legend>
      <div class="segments">
        {choices.map(([value, label]) => (
          <label key={value}>
            <input type="radio" name={name} checked={value === chosen} onChange={() => onChosen(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {children}
    </fieldset>
  );
}
