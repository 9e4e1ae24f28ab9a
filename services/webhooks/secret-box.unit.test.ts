import { expect, test } from "@jest/globals";
import { newSecret, secretBox } from "./secret-box.ts";

const box = secretBox("a key of an installation");

test("a secret is opened with the same key for the same webhook, and by nothing else", () => {
  const secret = newSecret();
  const sealed = box.seal("w", secret);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(box.open("w", sealed)).toBe(secret);
  expect(box.open("other", sealed)).toBeUndefined();
  expect(secretBox("another key of an installation").open("w", sealed)).toBeUndefined();
  expect(box.open("w", `${sealed.slice(0, -2)}AA`)).toBeUndefined();
  expect(box.open("w", "")).toBeUndefined();
});

test("the same secret is sealed differently each time, and its text is not in it", () => {
  const secret = newSecret();
  const [one, other] = [box.seal("w", secret), box.seal("w", secret)];
  expect(one).not.toBe(other);
  expect(Buffer.from(one, "base64url").toString("latin1")).not.toContain(secret.slice(6));
});
