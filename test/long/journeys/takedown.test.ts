import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { writePointers } from "../../../functions/domain/projects/pointers.ts";
import { keys } from "../../../functions/table/keys.ts";
import { operate } from "../../../infra/operator/operator.ts";
import { AmazonError } from "../../../local/amazon-server.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { useEdgeService } from "../../support/service/edge-service.ts";
import { publish } from "../../support/service/steps.ts";
import { useOwner, useServers } from "../../support/service/suite.ts";
import { storedItem } from "../../support/table/stored.ts";

/*
 * A takedown on a stage with a games' edge: the key-value store first, then CloudFront's caches.
 */

const service = useEdgeService();
const ada = useOwner(service);
const start = useServers();
/** Requests to CloudFront, and the store's state by then. */
let asked: { request: string; tag: string | undefined; pointer: string | undefined; isSigned: boolean }[];
let status: number;

const pointer = () => service.games.store.edge(0).get(ada.slug);

beforeEach(async () => {
  asked = [];
  status = 201;
  const server = startHttpServer(async (request, response) => {
    const [, tag] = /<Path>(.*)<\/Path>/.exec(await text(request)) ?? [];
    const isSigned = request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=") === true;
    asked.push({ request: `${request.method} ${request.url}`, tag, pointer: pointer(), isSigned });
    const body =
      status === 201
        ? '<Invalidation xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Id>I1</Id><Status>InProgress</Status></Invalidation>'
        : "<ErrorResponse><Error><Code>AccessDenied</Code><Message>No</Message></Error></ErrorResponse>";
    response.writeHead(status, { "content-type": "text/xml" }).end(body);
  });
  const { endpoint } = await start(server);
  Object.assign(process.env, { AWS_ENDPOINT_URL_CLOUDFRONT: endpoint, GAMES_DISTRIBUTION_ID: "E1" });
  await publish(ada, ada.slug, { "index.html": "1" });
});

afterEach(() => {
  service.games.fault = undefined;
  delete process.env["AWS_ENDPOINT_URL_CLOUDFRONT"];
  delete process.env["GAMES_DISTRIBUTION_ID"];
});

const takeDown = async () =>
  (await operate(["takedown", ada.slug, "--reason", "malware", "--without-games"], new Date(), { wait: 0 })) as Record<
    string,
    unknown
  >;
const isTakenDown = async () => (await storedItem(service, keys.project(ada.slug)))?.["deletedAt"] !== undefined;

test("a takedown writes the store, then purges the game's tag in the distribution of its domain", async () => {
  expect(await takeDown()).toMatchObject({ edge: "updated", purge: "invalidation I1" });
  const request = "POST /2020-05-31/distribution/E1/invalidation";
  expect(asked).toEqual([{ request, tag: `#game:${ada.slug}`, pointer: "s", isSigned: true }]);
});

test("nothing is purged before the store has the takedown, and the same command purges it then", async () => {
  service.games.fault = () => new AmazonError("InternalServerException", 500, "Down");
  const { edge, purge } = await takeDown();
  expect({ edge, purge }).toEqual({ edge: "waiting", purge: expect.stringMatching(/^not yet: .*again\.$/) });
  expect(asked).toEqual([]);
  expect(await isTakenDown()).toBe(true);
  service.games.fault = undefined;
  await writePointers(AbortSignal.timeout(10_000));
  expect(await takeDown()).toMatchObject({ edge: "updated", purge: "invalidation I1" });
});

test("what CloudFront refuses is said, the takedown stays, and the same command tries again", async () => {
  status = 403;
  const { purge } = await takeDown();
  expect(purge).toBe("not done: CloudFront responded with AccessDenied. Run the same command again.");
  expect(await isTakenDown()).toBe(true);
  expect(pointer()).toBe("s");
  status = 201;
  expect((await takeDown())["purge"]).toBe("invalidation I1");
});

test("a suspension, which can be lifted, purges nothing", async () => {
  await operate(["suspend", "project", ada.slug, "--reason", "spam", "--without-games"], new Date());
  expect(pointer()).toBe("s");
  expect(asked).toEqual([]);
});
