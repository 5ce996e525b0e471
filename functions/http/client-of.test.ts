import { expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { clientOf, networkOf } from "./client-of.ts";

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:0DB8:0001::6", "2001:db8:1::/48"],
  ["2001::2:3:4:5:6:7", "2001:0:2::/48"],
  ["::1", "0:0:0::/48"],
  ["198.51.100.7", "198.51.100.0/24"],
  ["", null],
  ["198.51.100.7, 203.0.113.77", null],
  ["198.51.100.7:443", null],
  ["a name", null],
])("of the address %s the service stores only %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ["svc/1.0 linux-x64", "svc"],
  ["Mozilla/5.0 (X11)", "browser"],
  ["curl/8.0 (like svc/ and Mozilla/)", "other"],
  ["curl svc/", "other"],
  ["curl Mozilla/", "other"],
  [undefined, "other"],
])("of the User-Agent %s the service stores only %s", (userAgent, client) => {
  const event = { headers: {}, requestContext: { http: { sourceIp: "", userAgent } } };
  expect(clientOf(event as unknown as APIGatewayProxyEventV2)).toEqual({ client, network: null });
});

const forged = Object.fromEntries(
  ["x-forwarded-for", "forwarded", "cloudfront-viewer-address", "x-real-ip", "true-client-ip"].map((name) => [
    name,
    "192.0.2.1:443",
  ]),
);
test("the address is API Gateway's own, whatever headers the client sends", () => {
  const http = { sourceIp: "203.0.113.77", userAgent: "svc/1.0" };
  const event = { headers: forged, requestContext: { http } } as unknown as APIGatewayProxyEventV2;
  expect(clientOf(event).network).toBe("203.0.113.0/24");
});
