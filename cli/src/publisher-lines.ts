import type { ResponseTo } from "./client.ts";

/** One publisher as `svc publishers` shows it. */
export function publisherLine(publisher: ResponseTo<"listPublishers">["publishers"][number]): string {
  const { may, environment, ref_protected: isProtected, repository } = publisher;
  const [id, file, by] =
    publisher.provider === "github"
      ? [publisher.repository_id, publisher.workflow, ` started by ${publisher.events.join(", ")}`]
      : [publisher.project_id, publisher.ci_config_path, ""];
  const where = environment === null ? "" : `, in the environment ${environment}`;
  return `${publisher.provider} ${repository ?? "repository"} (${id}), ${file}${by}${where}${isProtected ? ", protected branches and tags alone" : ""}${may === "preview" ? ", previews alone" : ""}`;
}
