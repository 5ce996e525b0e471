import { optionViews } from "../../../options/views.ts";
import { useDashboard } from "../dashboard.ts";

/** The tab of an option in a project. */
export function OptionTab({ tab, slug }: { tab: string; slug: string }) {
  const Tab = optionViews.find(({ name }) => name === tab)?.Tab;
  return Tab ? <Tab slug={slug} /> : null;
}

/** Numbers of the stage's options about a project. */
export function OptionNumbers({ slug }: { slug: string }) {
  const { leftOut = [] } = useDashboard().configuration;
  const wanted = optionViews.filter(({ name }) => !leftOut.includes(name));
  return wanted.map(({ name, Numbers }) => Numbers && <Numbers key={name} slug={slug} />);
}
