import { h } from "preact";

/** An icon of the library, by its elements: `import { Play } from "lucide"`. */
type IconNode = readonly (readonly [tag: string, attributes: object])[];

/** An icon beside the words that say the same. */
export function Icon({ of: elements, isLarge }: { of: IconNode; isLarge?: true }) {
  return (
    <svg class={isLarge ? "large-icon icon" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
      {elements.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
