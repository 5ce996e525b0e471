import { beforeEach, expect, test } from "@jest/globals";
import { Session, type SignInPrompt } from "./session.ts";
import type { IdToken, SignIn } from "./sign-in/sign-in.ts";

const hour = 3_600_000;
let prompts: (SignInPrompt | undefined)[];
let renewals: number;
let opened: string[];

beforeEach(() => {
  [prompts, renewals, opened] = [[], 0, []];
  Object.assign(globalThis, { location: { assign: (path: string) => opened.push(path) } });
});

function token(value: string, { subject = "ada", left = hour } = {}): IdToken {
  return { value, subject, expiresAt: Date.now() + left };
}

/** A session whose ID token has so long left; the provider gives these when it is asked. */
function sessionWith(left: number, given: { renew?: IdToken | Error; again?: IdToken | Error }) {
  const unlessError = <T>(value: T): Exclude<T, Error> => {
    if (value instanceof Error) throw value;
    return value as Exclude<T, Error>;
  };
  const signIn: Pick<SignIn, "renew" | "startInWindow"> = {
    renew: async () => {
      renewals += 1;
      return unlessError(given.renew);
    },
    startInWindow: async (demand) => unlessError(given.again) ?? token(demand ? "asked anew" : "signed in again"),
  };
  return new Session(signIn as SignIn, token("first", { left }), (prompt) => prompts.push(prompt));
}

/** The questions to the person, once there is one. */
async function asked(): Promise<SignInPrompt> {
  while (prompts[0] === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  return prompts[0];
}

/** Whether nothing comes of it: the page of another person is on its way. */
async function isForsaken(call: Promise<unknown>): Promise<boolean> {
  return (
    (await Promise.race([call.then(() => false), new Promise((resolve) => setTimeout(resolve, 20, true))])) === true
  );
}

test.each([
  [61_000, "first"],
  [59_000, "second"],
])("an ID token with %i ms left: the API gets the %s one", async (left, value) => {
  expect(await sessionWith(left, { renew: token("second") }).idToken()).toBe(value);
});

test("calls at the same time renew it once, and the next one that has expired is renewed again", async () => {
  const session = sessionWith(0, { renew: token("second", { left: 0 }) });
  expect(await Promise.all([session.idToken(), session.freshIdToken()])).toEqual(["second", "second"]);
  expect(renewals).toBe(1);
  await session.idToken();
  expect(renewals).toBe(2);
});

test.each([
  ["the usual one while it is valid", hour, false, "first", 0],
  ["none of a session that would have to be renewed", 0, false, undefined, 0],
  ["a renewed one once the person is back", 0, true, "second", 1],
])("an ID token for what the page asks by itself: %s", async (_, left, isPresent, value, renewed) => {
  const session = sessionWith(left, { renew: token("second") });
  expect(await session.unaskedIdToken(isPresent)).toBe(value);
  expect([renewals, prompts]).toEqual([renewed, []]);
});

test("a session that has ended asks nobody for the page's own request, which renews it together with others", async () => {
  expect(await sessionWith(0, {}).unaskedIdToken(true)).toBeUndefined();
  expect(prompts).toEqual([]);
  renewals = 0;
  const session = sessionWith(0, { renew: token("second") });
  expect(await Promise.all([session.unaskedIdToken(true), session.idToken()])).toEqual(["second", "second"]);
  expect(renewals).toBe(1);
});

test("if the provider has no session any more, the person signs in again, and cannot go on without", async () => {
  const session = sessionWith(0, {});
  const call = session.idToken();
  const prompt = await asked();
  expect(prompt.cancel).toBeUndefined();
  await prompt.signInAgain();
  expect(await call).toBe("signed in again");
  expect(prompts.at(-1)).toBeUndefined();
  expect(await session.idToken()).toBe("signed in again");
});

test("if the provider cannot be reached, the call fails for that alone, and the next one asks it again", async () => {
  const session = sessionWith(0, { renew: new Error("lost") });
  await expect(session.idToken()).rejects.toThrow("The identity provider cannot be reached.");
  await expect(session.idToken()).rejects.toThrow("The identity provider cannot be reached.");
  expect(renewals).toBe(2);
  expect(prompts).toEqual([]);
});

test("a recent sign-in is asked for anew, and its ID token is that of the next calls", async () => {
  const session = sessionWith(hour, {});
  const call = session.recentIdToken();
  await (await asked()).signInAgain();
  expect(await call).toBe("asked anew");
  expect(prompts.at(-1)).toBeUndefined();
  expect(await session.idToken()).toBe("asked anew");
});

test("a sign-in that fails is told, and the person is still asked and can try again", async () => {
  const given: { again?: Error } = { again: new Error("closed") };
  const call = sessionWith(0, given).idToken();
  const prompt = await asked();
  await expect(prompt.signInAgain()).rejects.toThrow("closed");
  expect(prompts).toEqual([prompt]);
  delete given.again;
  await prompt.signInAgain();
  expect(await call).toBe("signed in again");
});

test("who does not want to sign in again keeps the session", async () => {
  const session = sessionWith(hour, {});
  const call = session.recentIdToken();
  (await asked()).cancel?.();
  expect(await call).toBeUndefined();
  expect(prompts.at(-1)).toBeUndefined();
  expect(await session.idToken()).toBe("first");
});

const usual = (session: Session) => session.idToken();
const recent = (session: Session) => session.recentIdToken();

test.each([
  [recent, usual, "asked anew"],
  [usual, recent, "signed in again"],
])(
  "a call that needs a sign-in while the person is asked for one gets its ID token too: %#",
  async (one, two, value) => {
    const session = sessionWith(0, {});
    const calls = Promise.all([one(session), asked().then(() => two(session))]);
    const prompt = await asked();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await prompt.signInAgain();
    expect(await calls).toEqual([value, value]);
    expect(prompts).toEqual([prompt, undefined]);
  },
);

test("the person is asked for the session once they do not want to sign in for a call", async () => {
  const session = sessionWith(0, {});
  const [first, second] = [recent(session), usual(session)];
  (await asked()).cancel?.();
  expect(await first).toBeUndefined();
  await prompts.at(-1)?.signInAgain();
  expect(await second).toBe("signed in again");
});

const other = token("of another person", { subject: "grace" });

test.each([
  ["renewed", (session: Session) => session.freshIdToken(), { renew: other }],
  ["signed in again after it had expired", (session: Session) => session.idToken(), { again: other }],
  ["asked for a recent sign-in", (session: Session) => session.recentIdToken(), { again: other }],
])("another person's ID token, %s, is not used: the page is opened anew", async (_, begin, given) => {
  const session = sessionWith(0, given);
  const call = begin(session);
  if (!("renew" in given)) await (await asked()).signInAgain();
  expect(await isForsaken(call)).toBe(true);
  expect(opened).toEqual(["/"]);
});
