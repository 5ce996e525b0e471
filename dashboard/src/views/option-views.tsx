import { optionViews } from "../../../options/views.ts";
import { useDashboard } from "../dashboard.ts";
import { optionOfTab } from "../option-tabs.ts";
import type { Project } from "../resources.ts";

interface OptionTabProps {
  readonly project: Project;
  readonly tab: string;
  /** The id of the thing in the tab that is shown alone, and of another one beside it. */
  readonly inside: string | undefined;
  readonly other: string | undefined;
}

/** The tab of an option in a project, or the view of one thing in it. */
export function OptionTab({ project, tab, inside, other }: OptionTabProps) {
  const option = optionOfTab(tab);
  const { Tab, Inside } = optionViews.find(({ name }) => name === option?.name) ?? {};
  if (inside) return Inside ? <Inside key={inside} slug={project.slug} id={inside} other={other} /> : null;
  return Tab ? <Tab project={project} /> : null;
}

/** Numbers of the stage's options about a project. */
export function OptionNumbers({ slug }: { slug: string }) {
  const { leftOut = [] } = useDashboard().configuration;
  const wanted = optionViews.filter(({ name }) => !leftOut.includes(name));
  return wanted.map(({ name, Numbers }) => Numbers && <Numbers key={name} slug={slug} />);
}
