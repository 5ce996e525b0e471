import { expect, test } from "@jest/globals";
import { isLocal } from "./openid-connect.ts";

test.each(["http://127.0.0.1:9000/", "http://localhost:9000/realms/a", "http://[::1]:9000"])(
  "a provider at %s needs no TLS",
  (issuer) => expect(isLocal(new URL(issuer))).toBe(true),
);

test.each([
  "http://localhost.evil.example/",
  "http://127.0.0.1.evil.example/",
  "http://evil.example/localhost",
  "http://localhost@evil.example/",
])("a provider at %s does", (issuer) => expect(isLocal(new URL(issuer))).toBe(false));
