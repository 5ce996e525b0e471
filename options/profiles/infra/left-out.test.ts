import { expect, test } from "@jest/globals";
import { withGames } from "../../../test/support/synthesis/settings.ts";
import { ofType, only, synthesise } from "../../../test/support/synthesis.ts";

const partsOf = (profiles: boolean) => {
  const resources = synthesise("staging", { ...withGames("staging"), dashboard: undefined, profiles });
  const { DistributionConfig: config } = only(resources, "AWS::CloudFront::Distribution").Properties;
  const [{ OriginCustomHeaders: headers }] = config.Origins;
  const own = ofType(resources, "AWS::CloudFront::Function").find(({ Properties }) =>
    Properties.Name.endsWith("viewer-own"),
  );
  return {
    functions: ofType(resources, "AWS::Lambda::Function")
      .map(({ Properties }) => String(Properties.FunctionName))
      .filter((name) => /telemetry|profile/.test(name)),
    isOriginTold: headers.some(
      ({ HeaderName: name, HeaderValue: value }: Readonly<Record<string, string>>) =>
        name === "x-svc-option-pages" && value?.includes("/.well-known/svc/profile"),
    ),
    hasPage: own?.Properties.FunctionCode.includes("/.well-known/svc/profile"),
  };
};

test("a stage without profiles has no function of them, and its games no page that measures", () => {
  expect(partsOf(true)).toEqual({ functions: expect.any(Array), isOriginTold: true, hasPage: true });
  expect(partsOf(true).functions).toHaveLength(5);
  expect(partsOf(false)).toEqual({ functions: [], isOriginTold: false, hasPage: false });
});
