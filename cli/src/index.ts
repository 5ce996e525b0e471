import { Api } from "./commands/api.ts";
import { Check } from "./commands/check.ts";
import { Complete } from "./commands/complete.ts";
import { Completion } from "./commands/completion.ts";
import { Dev } from "./commands/dev.ts";
import { HelpCommand } from "./commands/help.ts";
import { History } from "./commands/history.ts";
import { Init } from "./commands/init.ts";
import { Live } from "./commands/live.ts";
import { Login } from "./commands/login.ts";
import { Logout } from "./commands/logout.ts";
import { Members } from "./commands/members.ts";
import { Notes } from "./commands/notes.ts";
import { Offline } from "./commands/offline.ts";
import { Open } from "./commands/open.ts";
import { Previews } from "./commands/previews.ts";
import { ProjectsCreate } from "./commands/projects/create.ts";
import { ProjectsEdit } from "./commands/projects/edit.ts";
import { ProjectsList } from "./commands/projects/list.ts";
import { Publish } from "./commands/publish.ts";
import { Publishers } from "./commands/publishers.ts";
import { Releases } from "./commands/releases.ts";
import { Rollback } from "./commands/rollback.ts";
import { Whoami } from "./commands/whoami.ts";

export { addProjectPlaces } from "./dashboard-places.ts";
export { SvcHelp } from "./help.ts";
export { main } from "./run.ts";

/** Every command of the core by its oclif id: `projects:list` is `svc projects list`. programs/cli.ts adds those of options. */
export const COMMANDS = {
  api: Api,
  check: Check,
  complete: Complete,
  completion: Completion,
  dev: Dev,
  help: HelpCommand,
  init: Init,
  history: History,
  live: Live,
  login: Login,
  logout: Logout,
  members: Members,
  notes: Notes,
  offline: Offline,
  open: Open,
  "projects:create": ProjectsCreate,
  "projects:edit": ProjectsEdit,
  "projects:list": ProjectsList,
  publish: Publish,
  publishers: Publishers,
  previews: Previews,
  releases: Releases,
  rollback: Rollback,
  whoami: Whoami,
};
