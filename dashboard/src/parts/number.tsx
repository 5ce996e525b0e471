import type { ComponentChildren } from "preact";

interface NumberProps {
  readonly title: string;
  readonly value: string;
  /** A line below it: how it changed, or what is most of it. */
  readonly children?: ComponentChildren;
}

/** A large number with its name, in a card. Several stand side by side: {@link Numbers}. */
export function NumberCard({ title, value, children }: NumberProps) {
  return (
    <div class="card number">
      <dt>{title}</dt>
      <dd class="value" style={{ "--length": value.length }}>
        {value}
      </dd>
      {children && <dd>{children}</dd>}
    </div>
  );
}

export function Numbers({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <section aria-label={label}>
      <dl class="grid four">{children}</dl>
    </section>
  );
}
