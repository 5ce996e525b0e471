import { expect, test } from "@jest/globals";
import { actorsOf } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";

const service = useService();

const developersAtOnce = 10;
const trialsEach = 10;

test("a request that begins after the response to a revocation never succeeds, in 100 trials", async () => {
  const actors = actorsOf(service);
  const trials = Array.from({ length: developersAtOnce }, async () => {
    const ada = await actors.developer();
    const seen: number[] = [];
    for (let trial = 0; trial < trialsEach; trial += 1) {
      const token = await ada.token();
      const racing = token.get("/me");
      const { status } = await ada.delete(`/tokens/${token.id}`);
      const after = await token.get("/me");
      seen.push(after.status);
      expect({ status, racing: [200, 401].includes((await racing).status) }).toEqual({ status: 204, racing: true });
    }
    return seen;
  });
  expect((await Promise.all(trials)).flat()).toEqual(Array(developersAtOnce * trialsEach).fill(401));
});
