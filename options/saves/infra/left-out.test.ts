import { expect, test } from "@jest/globals";
import { withGames } from "../../../test/support/synthesis/settings.ts";
import { ofType, only, synthesise } from "../../../test/support/synthesis.ts";

const partsOf = (settings: object) => {
  const resources = synthesise("staging", {
    ...withGames("staging"),
    dashboard: undefined,
    reports: false,
    ...settings,
  });
  const { DistributionConfig: config } = only(resources, "AWS::CloudFront::Distribution").Properties;
  const [{ OriginCustomHeaders: headers }] = config.Origins;
  const pages = headers.find(({ HeaderName }: { HeaderName: string }) => HeaderName === "x-svc-option-pages");
  const own = ofType(resources, "AWS::CloudFront::Function").find(({ Properties }) =>
    Properties.Name.endsWith("viewer-own"),
  );
  return {
    // The bucket and the API.
    origins: config.Origins.length,
    functions: ofType(resources, "AWS::Lambda::Function")
      .map(({ Properties }) => String(Properties.FunctionName))
      .filter((name) => /saves/.test(name)),
    pages: pages?.HeaderValue,
    ofViewer: own?.Properties.FunctionCode.match(/"\/\.well-known\/svc\/(saves|profile)"/g)?.toSorted(),
  };
};

test("a stage without saves has no page for them at the games' origin and no function, and keeps the others", () => {
  const [profile, saves] = ["/.well-known/svc/profile", "/.well-known/svc/saves"];
  // Once among the pages, and once among those that are there while nothing is live.
  expect(partsOf({})).toEqual({
    origins: 2,
    functions: ["svc-staging-send-saves", "svc-staging-take-saves"],
    pages: `${profile} ${saves}`,
    ofViewer: [`"${profile}"`, `"${saves}"`, `"${saves}"`],
  });
  expect(partsOf({ saves: false })).toEqual({ origins: 1, functions: [], pages: profile, ofViewer: [`"${profile}"`] });
});
