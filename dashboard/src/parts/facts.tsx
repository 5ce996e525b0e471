import type { ComponentChildren } from "preact";

/** The consequences of a decision, shown before the person decides. */
export function Facts({ of }: { of: readonly (readonly [title: string, text: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
