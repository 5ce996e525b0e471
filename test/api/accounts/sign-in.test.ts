import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { actorsOf, type Person } from "../../support/service/actors.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { useFunctionEnvironment, useRecordedService, useService } from "../../support/service/suite.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem, storedItem } from "../../support/table/stored.ts";
import { time } from "../../support/wire-time.ts";

const service = useRecordedService();
const actors = actorsOf(service);
const overtaken = overtakenBy(service);

function storedAccount(uid: string) {
  return storedItem(service, keys.account(accountKey(service.issuer, uid)));
}

/** The same person with another ID token, as after signing in again. */
async function again(person: Person, claims: Record<string, unknown>) {
  return await actors.stranger({ sub: person.uid, ...claims });
}

async function eventTypes(person: Person): Promise<string[]> {
  const { body } = await person.get("/me/events");
  return body.events.map(({ type }: { type: string }) => type);
}

describe("POST /auth/session", () => {
  test("creates an account from the ID token at the first sign-in", async () => {
    const picture = "https://pictures.example/ada.png";
    const ada = await actors.stranger({ name: "Ada", picture });
    const { status, body } = await ada.post("/auth/session");
    expect(status).toBe(201);
    expect(body).toEqual({
      user: {
        uid: ada.uid,
        name: "Ada",
        avatar: picture,
        release_mails: true,
        email: ada.email,
        email_verified: true,
        role: "user",
        created_at: time,
      },
      developer: null,
    });
    expect(await storedAccount(ada.uid)).toMatchObject({ uid: ada.uid, name: "Ada", email: ada.email, role: "user" });
    expect(await eventTypes(ada)).toEqual(["account_created"]);
  });

  test("creates a developer if the request has the role dev", async () => {
    const ada = await actors.stranger();
    const { status, body } = await ada.post("/auth/session", { role: "dev" });
    expect(status).toBe(201);
    expect(body.user.role).toBe("dev");
    expect(body.developer).toEqual({ display_name: null, bio: null, created_at: time });
    expect((await eventTypes(ada)).sort()).toEqual(["account_created", "role_upgraded"]);
  });

  test("upgrades a user to a developer, once", async () => {
    const ada = await actors.user();
    const first = await ada.post("/auth/session", { role: "dev" });
    const second = await ada.post("/auth/session", { role: "dev" });
    expect(first.status).toBe(200);
    expect(first.body.user.role).toBe("dev");
    expect(second.body).toEqual(first.body);
    expect(await eventTypes(ada)).toEqual(["role_upgraded", "account_created"]);
  });

  test.each([{}, { role: "user" }, undefined])("changes nobody's role, and writes nothing: %j", async (body) => {
    for (const [ada, role] of [[await actors.developer(), "dev"] as const, [await actors.user(), "user"] as const]) {
      const operations: string[] = [];
      service.recorder.plan(({ operation }) => void operations.push(operation));
      const response = await ada.post("/auth/session", body);
      service.recorder.plan(undefined);
      expect(response).toMatchObject({ status: 200, body: { user: { role } } });
      expect(await storedAccount(ada.uid)).toMatchObject({ role });
      expect(operations).toEqual(["BatchGetItem"]);
    }
  });

  test("updates the email address and keeps what the person edited", async () => {
    const ada = await actors.user({ name: "Ada" });
    await ada.patch("/me", { name: "Countess" });
    const email = `${randomUUID()}@example.test`;
    const { body } = await (await again(ada, { name: "Somebody else", email })).post("/auth/session");
    expect(body.user).toMatchObject({ name: "Countess", email });
    expect(await storedAccount(ada.uid)).toMatchObject({ name: "Countess", email });
  });

  test("keeps the email address if the ID token has none", async () => {
    const ada = await actors.user();
    const { body } = await (await again(ada, { email: null, email_verified: null })).post("/auth/session");
    expect(body.user).toMatchObject({ email: ada.email, email_verified: true });
  });

  test("updates whether the provider has verified the email address", async () => {
    const ada = await actors.user({ email_verified: false });
    expect((await ada.get("/me")).body.user.email_verified).toBe(false);
    await (await again(ada, { email: ada.email })).post("/auth/session");
    expect((await ada.get("/me")).body.user.email_verified).toBe(true);
  });

  test("takes the name from the provider until the person edits it", async () => {
    const ada = await actors.user({ name: null });
    const names = async (claims: Record<string, unknown>, body: object = {}) =>
      (await (await again(ada, claims)).post("/auth/session", body)).body.user.name;
    expect((await ada.get("/me")).body.user.name).toBe(ada.uid);
    expect(await names({ name: "Ada" })).toBe("Ada");
    expect(await names({ name: null })).toBe("Ada");
    expect(await names({ name: "Ada of Ockham" }, { role: "dev" })).toBe("Ada of Ockham");
    await ada.patch("/me", { bio: "Numbers." });
    expect(await names({ name: "Ada King" })).toBe("Ada King");
    await ada.patch("/me", { name: "Ada King" });
    expect(await names({ name: "Somebody else" })).toBe("Ada King");
  });

  test("never undoes an edit of the name that happens between its read and its write", async () => {
    const ada = await actors.user();
    const renamed = await again(ada, { name: "Another" });
    const { body } = await overtaken(
      () => renamed.post("/auth/session"),
      () => ada.patch("/me", { name: "Mine" }),
    );
    expect(body.user.name).toBe("Mine");
    expect((await ada.get("/me")).body.user.name).toBe("Mine");
  });

  test("does not take a name that is an email address", async () => {
    const ada = await actors.stranger({ name: "ada@example.test" });
    await ada.post("/auth/session", { role: "dev" });
    const { body } = await actors.anonymous.get(`/users/${ada.uid}`);
    expect(JSON.stringify(body)).not.toContain("example.test");
    for (const edit of [{ name: "ada@example.test" }, { display_name: "Ada <ada@example.test>" }]) {
      const response = await ada.patch("/me", edit);
      expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer: `/${Object.keys(edit)[0]}` }] } });
    }
  });
});

describe("a stage that limits who may become a developer", () => {
  const limited = useService({
    env: {
      DEVELOPER_EMAIL_DOMAINS: "example.test,studio.example",
      DEVELOPER_CLAIM: "groups",
      DEVELOPER_CLAIM_VALUE: "makers",
    },
  });
  const people = actorsOf(limited);
  const fitting = { email: "ada@example.test", groups: "makers" };
  const refusal = { status: 403, body: { code: "developer_not_allowed" } };

  test("lets a person become one who fits, new or not", async () => {
    const [ada, bob] = [await people.stranger(fitting), await people.user(fitting)];
    expect(await ada.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 201,
      body: { user: { role: "dev" } },
    });
    expect(await bob.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 200,
      body: { user: { role: "dev" } },
    });
  });

  test.each([{ email: "ada@example.org" }, { groups: "players" }])(
    "refuses it to a person with %j, new or not, and stores nothing",
    async (claims) => {
      const ada = await people.stranger({ ...fitting, ...claims });
      expect(await ada.post("/auth/session", { role: "dev" })).toMatchObject(refusal);
      expect(await ada.get("/me")).toMatchObject({ status: 403, body: { code: "account_required" } });
      const bob = await people.user({ ...fitting, ...claims });
      expect(await bob.post("/auth/session", { role: "dev" })).toMatchObject(refusal);
      expect((await bob.get("/me")).body).toMatchObject({ user: { role: "user" }, developer: null });
    },
  );

  test("leaves a developer one who does not fit any more", async () => {
    const ada = await people.developer(fitting);
    const later = await people.stranger({ sub: ada.uid, email: "ada@example.org", groups: "players" });
    expect(await later.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 200,
      body: { user: { role: "dev" } },
    });
  });
});

describe("a stage whose operator approves developers", () => {
  const approving = useRecordedService({
    env: { DEVELOPER_APPROVAL: "1", DEVELOPER_EMAIL_DOMAINS: "example.test", EVENT_BUS_NAME: "bus" },
  });
  useFunctionEnvironment(approving);
  const people = actorsOf(approving);
  const pending = { status: 403, body: { code: "developer_approval_pending" } };
  const itemOf = ({ uid }: Person) => storedItem(approving, keys.account(accountKey(approving.issuer, uid)));
  const notices = async ({ uid }: Person) =>
    (await everyItem(approving))
      .filter(
        (item) => String(item["PK"]).startsWith("OUTBOX#") && item["accountKey"] === accountKey(approving.issuer, uid),
      )
      .map(({ type }) => type);

  test("makes nobody a developer who asks, by no request, until the operator has approved them", async () => {
    const [ada, bob] = [await people.stranger(), await people.user()];
    for (const person of [ada, bob]) {
      expect(await person.post("/auth/session", { role: "dev" })).toMatchObject(pending);
      expect(await person.post("/auth/session", { role: "dev" })).toMatchObject(pending);
      expect(await person.post("/auth/session")).toMatchObject({ status: 200, body: { developer: null } });
      expect((await person.get("/me")).body).toMatchObject({ user: { role: "user" }, developer: null });
      for (const [path, body] of [
        ["/projects", { slug: "first-project" }],
        ["/tokens", { name: "laptop", scopes: ["publish"] }],
        ["/publishers", { slug: "first-project", provider: "gitlab", project_id: "1", namespace_id: "2" }],
        ["/oauth/approvals", {}],
      ] as const)
        expect((await person.post(path, body)).body.code).toBe("developer_required");
      expect(await itemOf(person)).toMatchObject({ role: "user", developerRequestedAt: time });
      expect((await eventTypes(person)).sort()).toEqual(["account_created", "developer_requested"]);
      expect(await notices(person)).toEqual(["developer_requested"]);
    }
    const shown = (await operate(["show", "waiting"], new Date())) as { uid: string }[];
    expect(shown.map(({ uid }) => uid)).toEqual([ada.uid, bob.uid]);
    expect(shown[0]).toMatchObject({ email: ada.email, emailVerified: true, developerRequestedAt: time });

    await operate(["approve", "account", ada.uid], new Date());
    expect(await itemOf(ada)).not.toHaveProperty("developerRequestedAt");
    expect(await ada.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 200,
      body: { user: { role: "dev" } },
    });
    expect(await ada.post("/tokens", { name: "laptop", scopes: ["publish"] })).toMatchObject({ status: 201 });
    expect(await bob.post("/auth/session", { role: "dev" })).toMatchObject(pending);
    expect(await operate(["show", "waiting"], new Date())).toMatchObject([{ uid: bob.uid }]);
    expect(await eventTypes(ada)).toEqual(expect.arrayContaining(["role_upgraded", "developer_approved"]));
    expect(await notices(ada)).toEqual(expect.arrayContaining(["developer_requested", "developer_approved"]));
    expect(brokenInvariants(await everyItem(approving))).toEqual([]);
  });

  test("lets nobody ask who does not fit its other limits, and stores nothing", async () => {
    const ada = await people.stranger({ email: "ada@example.org" });
    expect(await ada.post("/auth/session", { role: "dev" })).toMatchObject({
      status: 403,
      body: { code: "developer_not_allowed" },
    });
    expect(await itemOf(ada)).toBeUndefined();
  });

  test("keeps who was approved twice, or without asking, one developer", async () => {
    const ada = await people.user();
    for (const _ of [1, 2]) await operate(["approve", "account", ada.uid], new Date());
    const { events } = (await ada.get("/me/events")).body;
    expect(events.filter(({ type }: { type: string }) => type === "role_upgraded")).toHaveLength(1);
    await expect(operate(["approve", "account", "nobody"], new Date())).rejects.toThrow("user_not_found");
  });

  test("keeps it if the operator approves while the person asks again", async () => {
    const ada = await people.user();
    const { body } = await overtakenBy(approving)(
      () => ada.post("/auth/session", { role: "dev" }),
      () => operate(["approve", "account", ada.uid], new Date()),
    );
    expect(body.user.role).toBe("dev");
    expect(await itemOf(ada)).not.toHaveProperty("developerRequestedAt");
  });
});
