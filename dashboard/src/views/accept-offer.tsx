import { useEffect, useState } from "preact/hooks";
import { useDashboard } from "../dashboard.ts";
import { messageOf } from "../messages.ts";
import { Button } from "../parts/button.tsx";
import { Facts } from "../parts/facts.tsx";
import { useSubmission } from "../parts/form.ts";
import { Notice, Problem } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { navigate } from "../router.ts";
import type { Project } from "./projects.tsx";

/** Where a developer accepts a project that its owner offers, or does not. */
export function AcceptOffer({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const [project, setProject] = useState<Project>();
  const [unknown, setUnknown] = useState<string>();
  const submission = useSubmission();
  const params = { slug };
  useEffect(() => {
    api
      .call("getProject", { method: "GET", path: "/projects/:slug", params })
      .then(setProject, (error) => setUnknown(messageOf(error)));
  }, [api, slug]);
  const accept = () =>
    submission.run(async () => {
      await api.call("acceptOffer", { method: "POST", path: "/projects/:slug/transfer/acceptance", params });
      navigate(`/projects/${slug}`);
    });
  const lead = project && (
    <>
      Its owner wants to hand <b>{project.name}</b> over to you.
    </>
  );
  return (
    <Page title="Take over a project?" lead={lead} narrow>
      {unknown && <Notice kind="problem">{unknown}</Notice>}
      {project && (
        <div class="card">
          <Facts
            of={[
              ["Slug", <code key="slug">{slug}</code>],
              [
                "Live",
                project.current_release ? (
                  <>
                    since <Time at={project.current_release.published_at} />
                    {project.play_url && (
                      <>
                        {" · "}
                        <a href={project.play_url} target="_blank" rel="noreferrer">
                          Play
                        </a>
                      </>
                    )}
                  </>
                ) : (
                  "no release"
                ),
              ],
              ["With it come", "all its releases, its address and its players. It counts among your 50 projects."],
              ["From then on", "you alone can publish it, and you are responsible for it."],
            ]}
          />
          <p class="hint">To refuse, do nothing: the offer ends by itself, at most 7 days after it was made.</p>
          <Problem of={submission} />
          <div class="actions">
            <Button onClick={() => navigate("/")}>Not now</Button>
            <Button kind="primary" busy={submission.busy} doing="Taking it over…" onClick={accept}>
              Take it over
            </Button>
          </div>
        </div>
      )}
    </Page>
  );
}
