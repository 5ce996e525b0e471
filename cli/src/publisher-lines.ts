import type { ResponseBody } from "../../contract/client.ts";
import { nameOf } from "./text.ts";

type Publisher = ResponseBody<"listPublishers">["publishers"][number];

/** One publisher as `svc publishers` shows it, and who added it. */
export function publisherLine(publisher: Publisher): string {
  const { may, environment, ref_protected: isProtected, only_latest_run: isLatest, repository } = publisher;
  const [id, file, by] =
    publisher.provider === "github"
      ? [publisher.repository_id, publisher.workflow, ` started by ${publisher.events.join(", ")}`]
      : [publisher.project_id, publisher.ci_config_path, ""];
  const where = environment === null ? "" : `, in the environment ${environment}`;
  return `${publisher.provider} ${repository ?? "repository"} (${id}), ${file}${by}${where}${isProtected ? ", protected branches and tags alone" : ""}${may === "preview" ? ", previews alone" : ""}${isLatest ? ", never over a later run" : ""}, added by ${adder(publisher)}`;
}

function adder({ added_by: by }: Publisher): string {
  if (by === null) return "unknown";
  return by.role === null ? `${nameOf(by)}, who is not a member any more` : nameOf(by);
}
