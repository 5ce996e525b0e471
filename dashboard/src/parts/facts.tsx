import type { ComponentChildren } from "preact";

/** What follows from a decision, told before it is made. */
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
