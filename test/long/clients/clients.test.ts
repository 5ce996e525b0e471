import { byOauth4webapi, byOpenidClient } from "./javascript-clients.ts";
import { testClients } from "./sign-in.ts";

testClients([
  ["oauth4webapi", byOauth4webapi],
  ["openid-client", byOpenidClient],
]);
