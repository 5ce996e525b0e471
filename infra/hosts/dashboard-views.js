/*
 * Runs in CloudFront for every request of the dashboard: a path without an extension is a view, and a view is index.html.
 * CloudFront's runtime has ECMAScript 5.1 and little more: infra/games/edge-functions.test.ts refuses what it lacks.
 */
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it
function handler(event) {
  const request = event.request;
  const name = request.uri.slice(request.uri.lastIndexOf("/") + 1);
  if (!name.includes(".")) request.uri = "/index.html";
  return request;
}
