import { expect, test } from "@jest/globals";
import { withGames } from "../../../test/support/synthesis/settings.ts";
import { ofType, only, synthesise } from "../../../test/support/synthesis.ts";

const partsOf = (settings: object) => {
  const resources = synthesise("staging", { ...withGames("staging"), dashboard: undefined, ...settings });
  const { DistributionConfig: config } = only(resources, "AWS::CloudFront::Distribution").Properties;
  const [{ OriginCustomHeaders: headers }] = config.Origins;
  const pages = headers.find(({ HeaderName }: { HeaderName: string }) => HeaderName === "x-svc-option-pages");
  const own = ofType(resources, "AWS::CloudFront::Function").find(({ Properties }) =>
    Properties.Name.endsWith("viewer-own"),
  );
  return {
    pages: pages?.HeaderValue,
    ofViewer: own?.Properties.FunctionCode.match(/"\/\.well-known\/svc\/(saves|profile)"/g)?.toSorted(),
  };
};

test("a stage without saves has no page for them at the games' origin, and keeps the others", () => {
  const [profile, saves] = ["/.well-known/svc/profile", "/.well-known/svc/saves"];
  // Once among the pages, and once among those that are there while nothing is live.
  expect(partsOf({})).toEqual({ pages: `${profile} ${saves}`, ofViewer: [`"${profile}"`, `"${saves}"`, `"${saves}"`] });
  expect(partsOf({ saves: false })).toEqual({ pages: profile, ofViewer: [`"${profile}"`] });
});
