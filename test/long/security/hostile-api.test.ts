import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { inventToken } from "../../support/cli/cli.ts";
import { type Behaviour, goodMe, sendJson, startMisbehavingServer } from "../../support/network/misbehaving-server.ts";
import { useCliUser, useServers } from "../../support/service/suite.ts";

/*
 * An API whose responses move a terminal's cursor, hide text or repeat a token: `svc` prints none of that.
 */
const token = inventToken();
const person = useCliUser();
const keep = useServers();
const serve = (behave: Behaviour) => keep(startMisbehavingServer(behave));

describe("a hostile API", () => {
  const trick = "\u001b[2J\u009b31m\u001b]0;owned\u0007\u001b[8m\r\u202e\u2028\b";
  const id = `${trick}${token}`;
  const release = { id, status: id, files: id, bytes: id, created_at: id, published_at: id, expires_at: id };
  const paths = { count: 1, paths: [id] };
  const bodies: Record<string, object> = {
    "GET /me": { ...goodMe, user: { ...goodMe.user, uid: id, name: id }, auth: { ...goodMe.auth, expires_at: id } },
    "GET /projects": { projects: [{ slug: id, name: id, current_release: { id } }], next_cursor: null },
    "POST /projects": { slug: id },
    "GET /projects/game/releases?limit=20": { releases: [release] },
    "POST /projects/game/releases/r1/publish": { release, previous_release: `${id}2` },
    "POST /projects/game/releases": {
      ...{ release: { ...release, status: "live" }, current_release: id, missing: [id], bytes_to_send: 1 },
      ...{ added: paths, changed: paths, removed: paths, unchanged: { count: 1 } },
    },
  };

  test.each([
    ["whoami"],
    ["projects list"],
    ["projects create game"],
    ["releases --project game"],
    ["rollback r1 --project game"],
    ["publish game --project game"],
    ["publish game --project game --dry-run"],
    ["releases --project refused"],
  ])(
    "svc %s: no control character of its response reaches the terminal, nor a token that it knows",
    async (command) => {
      const server = await serve((request, response) => {
        const body = bodies[`${request.method} ${request.url}`];
        const soon = { "svc-token-expires-at": `2026-11-22 (\u009b31m)` };
        if (body !== undefined) return sendJson(response, 200, body, soon);
        return sendJson(response, 403, {
          code: "toString",
          detail: id,
          request_id: id,
          errors: [{ pointer: id, detail: id }],
        });
      });
      mkdirSync(join(person.home, "game"));
      writeFileSync(join(person.home, "game/index.html"), "");
      for (const format of [[], ["--json"]]) {
        const { stdout, stderr } = await person.run([...command.split(" "), ...format], {
          env: { SVC_API: server.origin, SVC_TOKEN: token },
        });
        expect(stdout + stderr).not.toBe("");
        expect((stdout + stderr).match(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu)).toBeNull();
        expect(stderr).not.toContain("svc has a bug");
        if (format.length > 0) JSON.parse(stdout.trim());
      }
    },
  );
});
