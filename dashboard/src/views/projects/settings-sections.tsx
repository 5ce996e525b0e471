import type { ComponentChildren } from "preact";

/** A section of a project's settings: the text of its heading, and the heading's id, by which a URL names it. */
export interface SettingsSection {
  readonly id: string;
  readonly title: string;
}

/** The sections of the core; an option has its own. */
export const sections = {
  general: { id: "general", title: "General" },
  pictures: { id: "pictures", title: "Pictures" },
  address: { id: "address", title: "Address" },
  game: { id: "game", title: "Game" },
  embedding: { id: "embedding", title: "Embedding" },
  members: { id: "members", title: "Members" },
  publishers: { id: "publishers", title: "CI jobs that may publish" },
  tokens: { id: "tokens", title: "Tokens that can act on it" },
  delete: { id: "delete", title: "Hand over or delete" },
} as const satisfies Record<string, SettingsSection>;

interface SectionHeadingProps {
  readonly of: SettingsSection;
  /** A button beside it. */
  readonly children?: ComponentChildren;
}

/** The heading of a section, which gets the focus of a link to it. */
export function SectionHeading({ of: { id, title }, children }: SectionHeadingProps) {
  return (
    <div class="section titled">
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </div>
  );
}

/** Links to the sections of a page that is several screens long. */
export function SectionLinks({ of: shown }: { of: readonly SettingsSection[] }) {
  return (
    <nav class="section-links" aria-label="Sections">
      <ul>
        {shown.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
