import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { readConfiguration } from "../../../local/configuration.ts";
import { documentedNotice } from "../../support/notices/documented-notice.ts";
import { actorsOf } from "../../support/service/actors.ts";
import { startService } from "../../support/service/service.ts";
import { duringTests } from "../../support/service/suite.ts";

const service = duringTests(() => startService({ env: { SVC_NOTICES_SECONDS: "0.2" } }));

interface LogLine {
  readonly message: string;
  readonly notice: { readonly type: string; readonly account: { readonly uid: string } };
}

function logged(uid: string): LogLine["notice"][] {
  const lines = service.output().split("\n");
  const notices = lines.filter((line) => line.includes('"message":"Notice"')).map((line): LogLine => JSON.parse(line));
  return notices.map(({ notice }) => notice).filter(({ account }) => account.uid === uid);
}

test("the local service logs each notice once", async () => {
  const ada = await actorsOf(service).developer();
  const token = await ada.token();
  for (const type of ["token_created", "token_revoked"]) {
    if (type === "token_revoked") await ada.delete(`/tokens/${token.id}`);
    while (!logged(ada.uid).some((notice) => notice.type === type)) await delay(50);
  }
  await delay(600);
  expect(logged(ada.uid).map(({ type }) => type)).toEqual(["token_created", "token_revoked"]);
  for (const notice of logged(ada.uid)) documentedNotice.parse(notice);
});

test.each(["-1", "soon", "86401"])("SVC_NOTICES_SECONDS cannot be %s", (value) => {
  const message = `SVC_NOTICES_SECONDS must be a number of seconds from 0 to 86400, not "${value}"`;
  expect(() => readConfiguration({ SVC_NOTICES_SECONDS: value })).toThrow(message);
});
