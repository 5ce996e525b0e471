import type { Operator } from "../configuration.ts";

const pages = [
  ["terms", "Terms"],
  ["privacy", "Privacy"],
  ["status", "Status"],
  ["contact", "Contact"],
] as const;

/** Operator of the stage, with links to its own pages; nothing if the stage does not say. */
export function Footer({ operator }: { operator: Operator | undefined }) {
  if (operator === undefined) return null;
  return (
    <footer class="footer">
      <span>{operator.name}</span>
      {pages.map(([name, title]) => {
        const url = operator[name];
        return (
          url && (
            <a key={name} href={url} target="_blank" rel="noreferrer">
              {title}
            </a>
          )
        );
      })}
    </footer>
  );
}
