import type * as z from "zod/mini";
import type { exportMe } from "../../contract/api/accounts/account-export.ts";
import type { ExportedRecord, ExportPage } from "../domain/accounts/export.ts";
import { withAdders } from "../domain/publishers/publishers.ts";
import type { Account } from "../entities/account.ts";
import { pendingPublisherView, publisherView } from "./publisher-views.ts";
import { releaseView } from "./release-views.ts";
import { accountView, eventView, ownedProjectView, suspensionView, timeOf, tokenView } from "./views.ts";

type ExportView = z.infer<(typeof exportMe)["responses"][200]>;

/** The account, and one page of what is stored about it: nothing that a token could be recognised by. */
export function exportView(account: Account, { records, nextCursor }: ExportPage, now: Date): ExportView {
  return {
    ...accountView(account),
    suspension: suspensionView(account.suspension),
    records: records.map((record) => recordView(record, account, now)),
    next_cursor: nextCursor,
  };
}

function recordView(record: ExportedRecord, account: Account, now: Date): ExportView["records"][number] {
  if (record.kind === "token") {
    const { token } = record;
    return { kind: "token", token: { ...tokenView(token, now), last_used_by: token.lastUsedBy ?? null } };
  }
  if (record.kind === "event") return { kind: "event", event: eventView(record.event) };
  if (record.kind === "code_lookups") {
    const { count, ttl } = record.lookups;
    return { kind: "code_lookups", kept_until: timeOf(ttl), count };
  }
  if (record.kind === "idempotent_creation") {
    const { created, ttl } = record.creation;
    return { kind: "idempotent_creation", kept_until: timeOf(ttl), created };
  }
  if (record.kind === "invitation")
    return { kind: "invitation", project: record.invitation.slug, kept_until: timeOf(record.invitation.ttl) };
  if (record.kind === "membership") {
    const { id, role, since } = record.member;
    return { kind: "membership", project: record.slug, id, role, since };
  }
  if (record.kind === "team_member") {
    const { uid, role, since } = record.member;
    return { kind: "team_member", uid, role, since };
  }
  if (record.kind === "team") {
    const { ownerUid, since } = record.membership;
    return { kind: "team", owner: ownerUid, since };
  }
  if (record.kind === "storage") return record;
  if (record.kind === "project") {
    const { project } = record;
    const publishers = withAdders(project, project.publishers ?? [], new Map([[account.key, account]]));
    return { kind: "project", project: ownedProjectView(project, account), publishers: publishers.map(publisherView) };
  }
  if (record.kind === "option") return record.record;
  if (record.kind === "pending_publisher")
    return { kind: "pending_publisher", pending: pendingPublisherView(record, account) };
  return {
    kind: "release",
    project: record.project.slug,
    release: releaseView(record.release, record.project, {
      account,
      isCiJob: false,
      others: new Map(),
      falseCopies: new Map(),
    }),
  };
}
