import { useEffect, useState } from "preact/hooks";
import type { ResponseBody } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { messageOf } from "../../messages.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { useSubmission } from "../../parts/form.ts";
import { ListSkeleton } from "../../parts/list.tsx";
import { Notice, Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { navigate } from "../../router.ts";

type Offer = ResponseBody<"listOffers">["offers"][number];

/** Where a developer accepts a project that its owner offers, or refuses it. */
export function AcceptOffer({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const [offer, setOffer] = useState<Offer | "none">();
  const [unknown, setUnknown] = useState<string>();
  const accepting = useSubmission();
  const refusing = useSubmission();
  const params = { slug };
  useEffect(() => {
    const find = async () => {
      const { offers } = await api.call("listOffers", { method: "GET", path: "/offers" });
      setOffer(offers.find(({ project }) => project.slug === slug) ?? "none");
    };
    find().catch((error) => setUnknown(messageOf(error)));
  }, [api, slug]);
  const accept = () =>
    accepting.run(async () => {
      await api.call("acceptOffer", { method: "POST", path: "/projects/:slug/transfer/acceptance", params });
      navigate(`/projects/${slug}`);
    });
  const refuse = () =>
    refusing.run(async () => {
      await api.call("refuseOffer", { method: "POST", path: "/projects/:slug/transfer/refusal", params });
      navigate("/");
    });
  if (offer === undefined || offer === "none")
    return (
      <Page title={offer ? "Nothing is offered to you here" : "Take over a project?"} narrow>
        {unknown && <Notice kind="problem">{unknown}</Notice>}
        {!unknown && !offer && <ListSkeleton />}
        {offer && (
          <p>
            Nobody offers you the project {slug}. Maybe the offer has expired or was cancelled, or it is for another
            account: ask its owner for a new one.
          </p>
        )}
      </Page>
    );
  const { project, from, expires_at: expiresAt } = offer;
  const lead = (
    <>
      <b>{from.display_name ?? from.name}</b> wants to hand <b>{project.name}</b> over to you.
    </>
  );
  return (
    <Page title="Take over a project?" lead={lead} narrow>
      <div class="card">
        <Facts
          of={[
            ["Address", <code key="slug">{slug}</code>],
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
        <p class="hint">
          The offer expires <Time at={expiresAt} />. Its owner’s user ID is <code>{from.uid}</code>.
        </p>
        <Problem of={accepting} />
        <Problem of={refusing} />
        <div class="actions">
          <Button busy={refusing.busy} doing="Refusing…" onClick={refuse}>
            Refuse
          </Button>
          <Button kind="primary" busy={accepting.busy} doing="Taking it over…" onClick={accept}>
            Take it over
          </Button>
        </div>
      </div>
    </Page>
  );
}
