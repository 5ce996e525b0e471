import { useId, useState } from "preact/hooks";
import { useDashboard } from "../dashboard.ts";
import { optionOfTab } from "../option.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useLoaded } from "../parts/loaded.ts";
import { Problem } from "../parts/notice.tsx";
import { tabs, tabUrl } from "../project-place.ts";
import { allProjects } from "../projects.ts";
import { follow } from "../router.ts";

interface Entry {
  readonly title: string;
  /** What else it is found by, which stands beside it. */
  readonly beside: string;
  readonly href: string;
}

const pages: readonly Entry[] = [
  { title: "New project", beside: "", href: "/?new" },
  { title: "Projects", beside: "", href: "/" },
  { title: "People", beside: "", href: "/people" },
  { title: "Tokens", beside: "", href: "/tokens" },
  { title: "Account", beside: "", href: "/account" },
];

const maxShown = 8;

/** Goes to a project, a part of the project that is shown, or a page, by some letters of its name. */
export function CommandPalette({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const { api, configuration } = useDashboard();
  const { leftOut = [] } = configuration;
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const projects = useLoaded(() => allProjects(api), [api]);
  const [, current] = /^\/projects\/([a-z0-9-]+)/.exec(path) ?? [];
  const parts = Object.entries(tabs()).filter(([tab]) => !leftOut.includes(optionOfTab(tab)?.name ?? ""));
  const entries: readonly Entry[] = [
    ...(current ? parts.map(([tab, title]) => ({ title, beside: current, href: tabUrl(current, tab) })) : []),
    ...(projects.value ?? []).map(({ slug, name }) => ({ title: name, beside: slug, href: tabUrl(slug, "overview") })),
    ...pages,
  ];
  const words = search.toLowerCase().split(/\s+/);
  const isFound = ({ title, beside }: Entry) => {
    const text = `${title} ${beside}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = entries.filter(isFound).slice(0, maxShown);
  const index = Math.min(chosen, found.length - 1);
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    follow(entry.href);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setChosen((index + step + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter") go(found[index]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="palette">
        <input
          role="combobox"
          aria-label="Project or page"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${index}` : undefined}
          placeholder="Project or page"
          value={search}
          onInput={({ currentTarget }) => {
            setSearch(currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <Problem of={projects} />
        <div id={id} role="listbox" aria-label="Found">
          {found.map((entry, position) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            <div
              key={entry.href}
              id={`${id}-${position}`}
              role="option"
              aria-selected={position === index}
              onClick={() => go(entry)}
            >
              <span dir="auto">{entry.title}</span> <span class="hint">{entry.beside}</span>
            </div>
          ))}
        </div>
        <p class="hint" role="status">
          {found.length === 0 && "Nothing has this name."}
        </p>
      </div>
    </Dialog>
  );
}
