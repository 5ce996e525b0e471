import { useState } from "preact/hooks";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EdgeNotice } from "../../parts/edge-notice.tsx";
import { ListSkeleton } from "../../parts/list.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { useReleasesChanged } from "../../publish/publishing.ts";
import type { Edge } from "../../resources.ts";
import { navigate } from "../../router.ts";
import { FromTerminal, freeSlug } from "../first-steps.tsx";
import { lazyView } from "../load-views.ts";
import { DropArea } from "../publishing/drop-area.tsx";
import { ProjectGrid } from "./project-grid.tsx";
import { useProjectList } from "./project-list.ts";

export function Projects() {
  const { publishing, publish } = useDashboard();
  const [isCreating, setCreating] = useState(() => new URLSearchParams(location.search).has("new"));
  const [edge, setEdge] = useState<Edge>(null);
  const list = useProjectList();
  const restored = async (edge: Edge) => {
    setEdge(edge);
    await list.reload();
  };
  // A publication in the background changes which release is live.
  useReleasesChanged(undefined, () => void list.reload());
  return (
    <Page
      title="Projects"
      lead={
        <>
          A project is a game: where it is played, and every release of it. Who works on them:{" "}
          <a href="/people">People</a>.
        </>
      }
      action={
        <Button kind="primary" onClick={() => setCreating(true)}>
          New project
        </Button>
      }
    >
      <EdgeNotice edge={edge} />
      <ListChanges list={list} />
      {list.problem && (
        <Notice kind="problem">
          <p>{list.problem}</p>
          <Button onClick={() => list.reload()}>Try again</Button>
        </Notice>
      )}
      {list.items === undefined && !list.problem && <ListSkeleton />}
      {list.items?.length === 0 && <NoProjects />}
      {list.items && list.items.length > 0 && (
        <div class="grid">
          <DropArea
            title="Drop a new game anywhere"
            size="wide-area"
            isOpen={publishing.every(({ project, isOver }) => project || isOver)}
            onPicked={(picked) => publish(undefined, picked)}
          />
          <ProjectGrid projects={list.items} />
        </div>
      )}
      {list.items && <MoreProjects onRestored={restored} />}
      {isCreating && (
        <Dialog title="New project" onClose={() => setCreating(false)}>
          <ProjectForm onCreated={({ slug }) => navigate(`/projects/${slug}`)} onCancel={() => setCreating(false)} />
        </Dialog>
      )}
    </Page>
  );
}

const ProjectForm = lazyView(({ ProjectForm }) => ProjectForm);
const MoreProjects = lazyView(({ MoreProjects }) => MoreProjects, null);
const ListChanges = lazyView(({ ListChanges }) => ListChanges, null);

function NoProjects() {
  const { publishing, publish } = useDashboard();
  const [slug] = useState(freeSlug);
  return (
    <>
      <DropArea
        title="Publish your first game"
        size="large"
        isOpen={publishing.length === 0}
        onPicked={(picked) => publish(undefined, picked)}
      />
      <FromTerminal
        steps={[
          { title: "Take a name for the game; change it as you like", command: `svc projects create ${slug}` },
          { title: "Publish the folder", command: `svc publish . --project ${slug}` },
        ]}
      />
    </>
  );
}
