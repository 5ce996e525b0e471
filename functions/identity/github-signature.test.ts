import { generateKeyPairSync, sign } from "node:crypto";
import { afterEach, expect, jest, test } from "@jest/globals";
import { startHttpServer } from "../../test/support/network/http-server.ts";
import { isSignedByGitHub } from "./github-signature.ts";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const body = Buffer.from("a report");
const signature = sign("sha256", body, privateKey).toString("base64");

afterEach(() => {
  jest.restoreAllMocks();
});

test("GitHub's keys are kept for an hour, and that they cannot be fetched for a minute", async () => {
  let requests = 0;
  let published: object[] | undefined;
  const server = await startHttpServer((_, response) => {
    requests += 1;
    response.statusCode = published ? 200 : 503;
    response.end(JSON.stringify({ public_keys: published }));
  });
  process.env["GITHUB_KEYS_URI"] = server.endpoint;
  let now = Date.now();
  jest.spyOn(Date, "now").mockImplementation(() => now);
  /** The verdict and the requests after some seconds. */
  const after = async (seconds: number) => {
    now += seconds * 1_000;
    return [await isSignedByGitHub(body, "the key", signature), requests];
  };
  try {
    expect(await after(0)).toEqual([undefined, 2]);
    published = [{ key_identifier: "the key", key: publicKey.export({ type: "spki", format: "pem" }) }];
    expect(await after(59)).toEqual([undefined, 2]);
    expect(await after(1)).toEqual([true, 3]);
    // GitHub withdraws its key.
    published = [];
    expect(await after(3_599)).toEqual([true, 3]);
    expect(await after(1)).toEqual([false, 4]);
  } finally {
    await server.stop();
  }
});
