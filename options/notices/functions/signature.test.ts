import { expect, test } from "@jest/globals";
import { newSigningKey, secretOf, signedHeaders } from "./signature.ts";

test("a message is signed as the libraries of Standard Webhooks sign their example", () => {
  const body = '{"test": 2432232314}';
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body };
  expect(signedHeaders("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", message, new Date(1_614_265_330_000))).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a new secret has 192 random bits behind its prefix", () => {
  const secrets = [secretOf(newSigningKey()), secretOf(newSigningKey())];
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  expect(new Set(secrets).size).toBe(2);
});
