import { useDashboard } from "../../dashboard.ts";
import { Decision } from "../../parts/decision.tsx";
import { Facts } from "../../parts/facts.tsx";
import type { Release } from "../../resources.ts";
import { type ChangeProps, unlessOutdated } from "./outdated.ts";
import { titleOf } from "./release-titles.ts";

interface DeleteReleaseProps extends ChangeProps {
  readonly slug: string;
  readonly target: Release;
}

/** Says what the deletion means, and takes the release from everybody who still plays it; one that was never live is discarded. */
export function DeleteRelease({ slug, target, onDone, onOutdated, onCancel }: DeleteReleaseProps) {
  const { api } = useDashboard();
  const remove = async () => {
    const call = api.call("POST /projects/:slug/releases/:id/withdraw", { params: { slug, id: target.id } });
    const { edge } = await unlessOutdated(call, onOutdated);
    await onDone(edge);
  };
  return (
    <>
      <p dir="auto">{titleOf(target)}</p>
      {target.status === "open" && (
        <p>
          It was never live. What is uploaded of it is deleted, and its preview ends if it has one. The same files can
          be published again.
        </p>
      )}
      {target.status !== "open" && (
        <Facts
          of={[
            [
              "Players",
              "who started with it get the live release’s files from now on. Their open page may fail until they reload it.",
            ],
            [
              "The release",
              "can never be live again, and the same files cannot be published again as long as it is in this list.",
            ],
            [
              "Its files",
              "are deleted within a day or two, except those of other releases. Browsers keep what they have loaded: change a secret that was in it.",
            ],
          ]}
        />
      )}
      <Decision submit="Delete release" doing="Deleting…" onDecided={remove} onCancel={onCancel} />
    </>
  );
}
