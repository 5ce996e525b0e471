import { expect, test } from "@jest/globals";
import { runProgram } from "../../../test/support/program.ts";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { useService } from "../../../test/support/service/suite.ts";
import { everyItem } from "../../../test/support/table/stored.ts";

const service = useService({ env: { LEFT_OUT_OPTIONS: "notices" } });

test("a service without notices stores events and no notices, which would wait for ever", async () => {
  const ada = await actorsOf(service).developer();
  const token = await ada.token();
  expect(await ada.delete(`/tokens/${token.id}`)).toMatchObject({ status: 204 });
  const { body } = await ada.get("/me/events");
  expect(body.events.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(["token_created", "token_revoked"]),
  );
  expect((await everyItem(service)).filter(({ PK }) => String(PK).startsWith("OUTBOX#"))).toEqual([]);
});

test("the operator's command stores no notice at such a local service", async () => {
  const ada = await actorsOf(service).developer();
  const words = ["--stage", "local", "suspend", "account", ada.uid, "--reason", "spam", "--without-games"];
  const nothing = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const { PATH } = process.env;
  const { code } = await runProgram("programs/operator.ts", words, {
    ...nothing,
    PATH,
    PORT: new URL(service.api).port,
  });
  expect(code).toBe(0);
  expect((await ada.get("/me")).body).toMatchObject({ suspension: { reason: "spam" } });
  expect((await everyItem(service)).filter(({ PK }) => String(PK).startsWith("OUTBOX#"))).toEqual([]);
});
