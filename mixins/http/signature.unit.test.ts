import { describe, expect, test } from "@jest/globals";
import { signatureHeaders } from "./signature.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

function signatureOf(...from: Parameters<typeof signatureHeaders>): string {
  return signatureHeaders(...from)["webhook-signature"];
}

describe("the signature of a webhook", () => {
  test("is the one of the scheme's own published example", () => {
    expect(signatureHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}', SECRET)).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("depends on the id, the time, the body and the secret", () => {
    const signatures = [
      signatureOf("a", 1, "b", SECRET),
      signatureOf("x", 1, "b", SECRET),
      signatureOf("a", 2, "b", SECRET),
      signatureOf("a", 1, "x", SECRET),
      signatureOf("a", 1, "b", SECRET.replace("M", "N")),
    ];
    expect(new Set(signatures).size).toBe(signatures.length);
  });
});
