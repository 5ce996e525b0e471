import { describe, expect, test } from "@jest/globals";
import { ofType, statementsOfFunction, synthesise } from "../../../../../test/support/synthesis.ts";
import type { RecordedCall } from "../../../../../test/support/table/dynamodb-recorder.ts";
import { type Owner, useDeliveries } from "../../support/deliveries.ts";
import { useMails } from "../../support/mails.ts";
import type { SesFault } from "../../support/ses.ts";

/*
 * From the change to the mail: the outbox, a bus that takes PutEvents, the rule of the synthesised template, and an SES that takes
 * SendEmail. Each part fails in its ways.
 */

const { service, bus, deliver, developerWithTokens, takenOf } = useDeliveries();
const { ses, mail, mailsTo, logged } = useMails(service);

const resources = synthesise("staging", { mailFrom: "svc <no-reply@example.com>" });
const pattern = ofType(resources, "AWS::Events::Rule").find(({ Properties }) => Properties.EventPattern)?.Properties
  .EventPattern;

/** Whether an event matches a pattern of EventBridge's that has lists of values alone. */
function matches(event: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const found = event[name];
    if (Array.isArray(value)) return value.includes(found);
    return matches(found as Record<string, unknown>, value as Record<string, unknown>);
  });
}

describe("the rule", () => {
  test("takes every notice that is delivered, and its mail is about it", async () => {
    const owner = await developerWithTokens(1);
    const token = await owner.ada.token({ name: "CI" });
    await token.get("/me");
    await owner.ada.delete(`/tokens/${owner.ids[0]}`);
    bus.requests.length = 0;
    await deliver();
    const entries = bus.requests.flatMap(({ entries: sent }) => sent);
    expect(entries.length).toBe(4);
    for (const { Source, DetailType, Detail } of entries) {
      const detail = JSON.parse(Detail);
      expect(matches({ source: Source, "detail-type": DetailType, detail }, pattern)).toBe(true);
      await mail(detail);
    }
    expect(mailsTo(owner.ada).map(({ subject }) => subject)).toEqual([
      "svc: A token was created",
      "svc: A token was created",
      "svc: A token was used for the first time",
      "svc: A token was revoked",
    ]);
    expect(mailsTo(owner.ada)[2]?.text).toMatch(/\nToken: "CI", ends in ....\nNetwork: 127\.0\.0\.0\/24\n/);
  });

  test("takes nothing else that somebody puts on the bus", () => {
    const event = { source: "svc", "detail-type": "token_created", detail: { version: 1 } };
    expect(matches(event, pattern)).toBe(true);
    for (const other of [{ source: "other" }, { "detail-type": "token_eaten" }, { detail: { version: 2 } }])
      expect({ other, isTaken: matches({ ...event, ...other }, pattern) }).toEqual({ other, isTaken: false });
  });
});

/** A developer of whom one notice is to be mailed. */
async function ownerOfNotice() {
  const owner = await developerWithTokens(1);
  await deliver();
  const [notice] = takenOf(owner);
  return { ...owner, notice };
}

const secretsOf = ({ ada }: Owner) => [ada.email, "Ada Lovelace", ada.uid];

describe("a mail that SES does not take", () => {
  test.each<[string, SesFault]>([
    ["is throttled", { kind: "refuse", status: 429, error: "TooManyRequestsException" }],
    ["is over the day's quota", { kind: "refuse", status: 400, error: "LimitExceededException" }],
    ["meets a failure", { kind: "refuse", status: 500, error: "InternalFailure" }],
    ["meets a broken connection", { kind: "break" }],
    ["has no response", { kind: "hang" }],
  ])("because it %s is tried again, and the log has no address", async (_, fault) => {
    const { notice, ...owner } = await ownerOfNotice();
    ses.plan(({ to }) => (fault.kind === "refuse" ? { ...fault, message: `${fault.error}: ${to} may not` } : fault));
    await expect(mail(notice)).rejects.toThrow(/^A mail was not sent$/);
    expect(logged()).toEqual([expect.objectContaining({ level: "error", code: "mail_failed", route: "mail-notice" })]);
    for (const secret of secretsOf(owner)) expect(JSON.stringify(logged())).not.toContain(secret);
    ses.plan(undefined);
    await mail(notice);
    expect(mailsTo(owner.ada)).toHaveLength(1);
  });

  test.each(["MessageRejected", "BadRequestException"])("because of its recipient, %s, is given up", async (error) => {
    const { notice, ...owner } = await ownerOfNotice();
    ses.plan(({ to }) => ({ kind: "refuse", status: 400, error, message: `Email address is not verified: ${to}` }));
    const before = ses.requests.length;
    await mail(notice);
    await mail(notice);
    expect(ses.requests.length).toBe(before + 1);
    expect(logged()).toEqual([
      expect.objectContaining({ level: "error", code: "mail_refused", request_id: "run", route: "mail-notice" }),
    ]);
    for (const secret of secretsOf(owner)) expect(JSON.stringify(logged())).not.toContain(secret);
  });
});

describe("at least once:", () => {
  test("a mail whose response is lost comes twice, with the same number", async () => {
    const { notice, ...owner } = await ownerOfNotice();
    ses.plan(() => ({ kind: "lose-response" }));
    await expect(mail(notice)).rejects.toThrow();
    ses.plan(undefined);
    await mail(notice);
    const texts = mailsTo(owner.ada).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(1);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain(`both have the number ${notice.id}.`);
  });

  test("a mail that could not be recorded comes twice, and no third time", async () => {
    const { notice, ...owner } = await ownerOfNotice();
    service.recorder.plan(({ operation }) => (operation === "UpdateItem" ? { kind: "unreachable" } : undefined));
    await expect(mail(notice)).rejects.toThrow();
    service.recorder.plan(undefined);
    await mail(notice);
    await mail(notice);
    expect(mailsTo(owner.ada)).toHaveLength(2);
  });

  test("if the table cannot be read, nobody is mailed and it is tried again", async () => {
    const { notice, ...owner } = await ownerOfNotice();
    service.recorder.plan(({ operation }) => (operation === "BatchGetItem" ? { kind: "unreachable" } : undefined));
    await expect(mail(notice)).rejects.toThrow(/^A mail was not sent$/);
    expect(mailsTo(owner.ada)).toEqual([]);
    service.recorder.plan(undefined);
    await mail(notice);
    expect(mailsTo(owner.ada)).toHaveLength(1);
  });

  test("a message of another kind stays in the queue", async () => {
    await expect(mail({} as never)).rejects.toThrow(/^A mail was not sent$/);
  });
});

test("the role allows what the function requests of the table, and mail from the stage's address", async () => {
  const { notice } = await ownerOfNotice();
  const calls = await service.recorder.during(() => mail(notice));
  const [mailer] = ofType(resources, "AWS::Lambda::Function").filter(
    ({ Properties }) => Properties.FunctionName === "svc-staging-mail-notice",
  );
  if (mailer === undefined) throw new Error("No function mails notices");
  const statements = statementsOfFunction(resources, mailer);
  const conditionOf = (action: string) => statements.find(({ Action }) => [Action].flat().includes(action))?.Condition;
  expect(calls.map(({ operation }) => operation)).toEqual(["BatchGetItem", "UpdateItem"]);
  const [{ input: read }, { input: write }] = calls as [RecordedCall, RecordedCall];
  const { Keys, ExpressionAttributeNames } = read.RequestItems[service.tableName];
  const may = conditionOf("dynamodb:BatchGetItem");
  const isAllowed = (PK: string, allowed: readonly string[]) =>
    allowed.some((partitions) => PK.startsWith(partitions.replace("*", "")));
  for (const { PK } of Keys) expect(isAllowed(PK.S, may["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])).toBe(true);
  expect(Object.values(ExpressionAttributeNames).toSorted()).toEqual(
    may["ForAllValues:StringEquals"]["dynamodb:Attributes"].toSorted(),
  );
  const keysToWrite = conditionOf("dynamodb:UpdateItem")["ForAllValues:StringLike"]["dynamodb:LeadingKeys"];
  expect(isAllowed(write.Key.PK.S, keysToWrite)).toBe(true);
  expect(ses.sent.at(-1)?.from).toContain(`<${conditionOf("ses:SendEmail").StringEquals["ses:FromAddress"]}>`);
});
