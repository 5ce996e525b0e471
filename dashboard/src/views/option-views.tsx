import { useDashboard } from "../dashboard.ts";
import { optionOfTab, viewsWithout } from "../option.ts";
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
  const { Tab, Inside } = viewsWithout([]).find(({ name }) => name === option?.name) ?? {};
  if (inside) return Inside ? <Inside key={inside} project={project} id={inside} other={other} /> : null;
  return Tab ? <Tab project={project} /> : null;
}

/** Numbers of the stage's options about a project. */
export function OptionNumbers({ slug }: { slug: string }) {
  const { leftOut = [] } = useDashboard().configuration;
  return viewsWithout(leftOut).map(({ name, Numbers }) => Numbers && <Numbers key={name} slug={slug} />);
}

/** Parts that the stage's options have where a live game is shared. */
export function OptionShare({ url }: { url: string }) {
  const { leftOut = [] } = useDashboard().configuration;
  return viewsWithout(leftOut).map(({ name, Share }) => Share && <Share key={name} url={url} />);
}

/** Parts that the stage's options have in a tab of another one. */
export function OptionParts({ tab, ...rest }: { tab: string; slug: string; days: number }) {
  const { leftOut = [] } = useDashboard().configuration;
  return viewsWithout(leftOut).map(({ name, InTab }) => {
    const Part = InTab?.[tab];
    return Part && <Part key={name} {...rest} />;
  });
}
