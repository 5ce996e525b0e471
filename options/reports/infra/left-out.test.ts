import { expect, test } from "@jest/globals";
import { withGames } from "../../../test/support/synthesis/settings.ts";
import { ofType, only, synthesise } from "../../../test/support/synthesis.ts";

const partsOf = (reports: boolean) => {
  const resources = synthesise("staging", { ...withGames("staging"), dashboard: undefined, reports });
  const { DistributionConfig: config } = only(resources, "AWS::CloudFront::Distribution").Properties;
  const codes = ofType(resources, "AWS::CloudFront::Function").map(({ Properties }) => Properties.FunctionCode);
  return {
    functions: ofType(resources, "AWS::Lambda::Function")
      .map(({ Properties }) => String(Properties.FunctionName))
      .filter((name) => /reports|crashes/.test(name)),
    origins: config.Origins.length,
    paths: config.CacheBehaviors.map(({ PathPattern }: { PathPattern: string }) => PathPattern),
    isAsked: codes.some((code) => code.includes("reporting-endpoints")),
  };
};

test("a stage without reports has no function of them, passes none on to the API, and asks no browser", () => {
  expect(partsOf(true)).toMatchObject({ origins: 2, isAsked: true });
  expect(partsOf(true).functions).toContain("svc-staging-send-reports");
  expect(partsOf(false)).toEqual({
    ...{ functions: [], origins: 2, isAsked: false },
    paths: ["/.well-known/svc/saves/*", "/.well-known/svc/files/*", "/.well-known/svc/*"],
  });
});
