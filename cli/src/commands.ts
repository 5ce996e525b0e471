import { Completion } from "./commands/completion.ts";
import { Login } from "./commands/login.ts";
import { Logout } from "./commands/logout.ts";
import { Whoami } from "./commands/whoami.ts";

/** Every command by its id: `projects:list` is typed `svc projects list`. */
export const commands = {
  completion: Completion,
  login: Login,
  logout: Logout,
  whoami: Whoami,
};
