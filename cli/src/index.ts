import { options } from "../../options/cli.ts";
import { Api } from "./commands/api.ts";
import { Complete } from "./commands/complete.ts";
import { Completion } from "./commands/completion.ts";
import { ReleasesDelete } from "./commands/delete-release.ts";
import { Dev } from "./commands/dev.ts";
import { HelpCommand } from "./commands/help.ts";
import { History } from "./commands/history.ts";
import { Init } from "./commands/init.ts";
import { Invite } from "./commands/invite.ts";
import { Leave } from "./commands/leave.ts";
import { Live } from "./commands/live.ts";
import { Login } from "./commands/login.ts";
import { Logout } from "./commands/logout.ts";
import { Members } from "./commands/members.ts";
import { Offline } from "./commands/offline.ts";
import { Open } from "./commands/open.ts";
import { Previews } from "./commands/previews.ts";
import { ProjectsCreate } from "./commands/projects/create.ts";
import { ProjectsEdit } from "./commands/projects/edit.ts";
import { ProjectsDelete, ProjectsRestore } from "./commands/projects/in-dashboard.ts";
import { ProjectsList } from "./commands/projects/list.ts";
import { Publish } from "./commands/publish.ts";
import { Publishers } from "./commands/publishers.ts";
import { Releases } from "./commands/releases.ts";
import { Rollback } from "./commands/rollback.ts";
import { Tokens } from "./commands/tokens.ts";
import { Whoami } from "./commands/whoami.ts";
import type { CliOption } from "./option.ts";

export { SvcHelp } from "./help.ts";
export { main } from "./run.ts";

const ofOptions: CliOption["commands"] = Object.assign({}, ...options.map(({ commands }) => commands));

/** Every command by its oclif id: `projects:list` is `svc projects list`. package.json names this object in `oclif.commands`. */
export const COMMANDS = {
  api: Api,
  complete: Complete,
  completion: Completion,
  dev: Dev,
  help: HelpCommand,
  init: Init,
  invite: Invite,
  leave: Leave,
  history: History,
  live: Live,
  login: Login,
  logout: Logout,
  members: Members,
  offline: Offline,
  open: Open,
  "projects:create": ProjectsCreate,
  "projects:delete": ProjectsDelete,
  "projects:edit": ProjectsEdit,
  "projects:list": ProjectsList,
  "projects:restore": ProjectsRestore,
  publish: Publish,
  publishers: Publishers,
  previews: Previews,
  releases: Releases,
  "releases:delete": ReleasesDelete,
  rollback: Rollback,
  tokens: Tokens,
  whoami: Whoami,
  ...ofOptions,
};
