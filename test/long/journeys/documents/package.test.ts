import { expect, test } from "@jest/globals";
import { writeFiles } from "../../../support/cli/cli.ts";
import { approvalUrl, startLogin } from "../../../support/cli/command-line-login.ts";
import { hasTerminal, plainText } from "../../../support/cli/terminal.ts";
import { blocksToRun, emptyShell, shellEnvironment } from "../../../support/documents.ts";
import { approvalOf } from "../../../support/identity/oauth-client.ts";
import { actorsOf } from "../../../support/service/actors.ts";
import { useCliUser, useService } from "../../../support/service/suite.ts";

// Its commands name a project of their own, which may be created once.
const service = useService({});
const reader = useCliUser({ isNew: true });

(hasTerminal ? test : test.skip)(
  "the commands of cli/README.md go from a login in the browser to the URL of a game",
  async () => {
    const [commands = ""] = blocksToRun("cli/README.md", 1, service);
    writeFiles(reader.home, { "walk.sh": commands, "dist/index.html": "<h1>Game</h1>" });
    const walk = startLogin(reader, "walk.sh", service.api, approvalUrl, {
      program: emptyShell.join(" "),
      env: shellEnvironment(service),
    });
    const ada = await actorsOf(service).developer();
    const asked = approvalOf(new URL((await walk.found)[0]), { scopes: ["publish", "projects"] });
    const { body } = await ada.post("/oauth/approvals", asked);
    await fetch(body.redirect_to);
    const { code, shown } = await walk.ended;
    expect(code).toBe(0);
    expect(plainText(shown)).toContain("Published 1 file (13 B)");
    expect(plainText(shown)).toContain(`http://my-game.${service.gamesDomain}/`);
  },
);
