import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { useCliUser, useService } from "../../support/service/suite.ts";

/** Each route lets one request through at once, and then one in 50 seconds. */
const service = useService({ env: { SVC_REQUESTS_PER_SECOND: "1" } });
const user = useCliUser();

test("svc retries what the service refuses with API Gateway's 429, and then says what to do", async () => {
  const ada = await actorsOf(service).developer();
  const { credential } = await ada.token();
  const whoami = () => user.run(["whoami", "--json"], { env: { SVC_API: service.api, SVC_TOKEN: credential } });
  expect(await whoami()).toMatchObject({ code: 0 });
  const started = performance.now();
  const { code, json } = await whoami();
  expect(code).toBe(1);
  expect(json.error).toMatchObject({
    code: "gateway",
    status: 429,
    message: expect.stringContaining("gets too many requests at the moment (429 Too Many Requests)"),
    next: "Try again in a minute.",
  });
  // Four pauses, from 125 ms on and doubled each time.
  expect(performance.now() - started).toBeGreaterThan(1_800);
});
