import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { base62Digits, tokenChecksum } from "../../../contract/api/tokens/token-format.ts";
import { RawToken } from "../../../functions/domain/tokens/raw-token.ts";
import { accountKey } from "../../../functions/table/keys.ts";
import { actorsOf, type Developer, type TokenActor } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import { everyItem } from "../../support/table/stored.ts";
import { sendRaw } from "./raw-request.ts";

const service = useService();
const actors = actorsOf(service);
let ada: Developer;
let token: TokenActor;

beforeAll(async () => {
  ada = await actors.developer();
  token = await ada.token({ scopes: ["publish", "projects"] });
  expect((await token.get("/me")).status).toBe(200);
});

/** The response to a bearer of this text; the table must not change. */
async function responseTo(text: string): Promise<string> {
  const before = await everyItem(service);
  const { status, text: body } = await sendRaw(service.api, {
    method: "POST",
    path: "/projects",
    headers: [
      ["authorization", `Bearer ${text}`],
      ["content-type", "application/json"],
    ],
    body: Buffer.from(JSON.stringify({ slug: "attackers-game" })),
  });
  expect(await everyItem(service)).toEqual(before);
  return `${status} ${JSON.parse(body).code}`;
}

function withCharacter(text: string, position: number, character: string): string {
  return text.slice(0, position) + character + text.slice(position + 1);
}

/** Every token that differs from this one in one character after the prefix: 60 places, 61 other characters each. */
function neighbours(text: string): string[] {
  const places = Array.from({ length: 60 }, (_, index) => index + 4);
  return places.flatMap((place) =>
    [...base62Digits].map((digit) => withCharacter(text, place, digit)).filter((changed) => changed !== text),
  );
}

/** A forger can compute the checksum too. */
function withChecksum(text: string): string {
  const body = text.slice(0, -6);
  return body + tokenChecksum(body);
}

describe("one changed character", () => {
  test("makes a malformed token, at every place and for every character", () => {
    const changed = neighbours(token.credential);
    expect(changed).toHaveLength(60 * 61);
    expect(changed.filter((text) => RawToken.parse(text) !== undefined)).toEqual([]);
  });

  test("with a right checksum responds with 401, in the account's key and in the random part", async () => {
    for (const place of [4, 25, 26, 57]) {
      const other = token.credential[place] === "x" ? "y" : "x";
      const text = withChecksum(withCharacter(token.credential, place, other));
      expect(RawToken.parse(text)).toBeDefined();
      expect(`${place}: ${await responseTo(text)}`).toBe(`${place}: 401 token_invalid`);
    }
  });
});

const altered: [string, (raw: string) => string, string][] = [
  ["without its checksum", (raw) => raw.slice(0, -6), "token_invalid"],
  ["with a null byte after it, escaped", (raw) => `${raw}%00`, "credential_malformed"],
  ["in upper case", (raw) => raw.toUpperCase(), "id_token_invalid"],
  ["in lower case", (raw) => raw.toLowerCase(), "token_invalid"],
  ["in base64", (raw) => Buffer.from(raw).toString("base64"), "id_token_invalid"],
  ["as its SHA-256 in base64, as it is stored", (raw) => sha256(raw).toString("base64"), "id_token_invalid"],
  ["as its SHA-256 after the prefix", (raw) => `pat_${sha256(raw).toString("hex")}`, "token_invalid"],
  ["with letters that only look the same", (raw) => raw.replace("pat_", "p\u00e0t_"), "credential_malformed"],
  // Without its prefix it counts as an ID token.
  ["with another prefix", (raw) => raw.replace("pat_", "Pat_"), "id_token_invalid"],
];

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

test.each(altered)("a token %s responds with 401", async (_, change, code) => {
  expect(await responseTo(change(token.credential))).toBe(`401 ${code}`);
});

test("a token's id, hint or hash, which its owner sees or the table contains, is refused", async () => {
  const items = JSON.stringify(await everyItem(service));
  expect(items).toContain(sha256(token.credential).toString("base64"));
  expect(items).not.toContain(token.credential.slice(26, 58));
  for (const known of [token.id, `pat_${token.id}`, `pat_${accountKey(service.issuer, ada.uid)}${token.id}`])
    expect(await responseTo(known)).toMatch(/^401/);
});

test("a token with the account key of another account responds with 401", async () => {
  const theirs = await (await actors.otherDeveloper()).token({ scopes: ["projects"] });
  const mixed = withChecksum(token.credential.slice(0, 26) + theirs.credential.slice(26));
  expect(await responseTo(mixed)).toBe("401 token_invalid");
});

test("a token cannot be made for a project of somebody else", async () => {
  const bob = await actors.otherDeveloper();
  const { body: theirs } = await bob.post("/projects", { slug: `bobs-${Date.now()}` });
  const response = await ada.post("/tokens", { name: "narrow", scopes: ["projects"], projects: [theirs.slug] });
  expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer: "/projects/0" }] } });
});
