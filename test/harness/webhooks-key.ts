/** The key under which the services of every test and lab encrypt the secrets of webhooks. */
export const WEBHOOKS_KEY = "webhooks-key-of-the-tests-0123456789abcdef";
