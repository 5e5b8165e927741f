// near-api-js as the tests use it: a provider for each host and an Account for each ready-made key.
import { Account, JsonRpcProvider, KeyPair } from "near-api-js";

export function providerOf(url, headers = {}) {
  // One retry: what the sandbox answers with 408 or 5xx it means.
  return new JsonRpcProvider({ url, headers }, { retries: 1 });
}

export function accountsOf(sandbox, url = sandbox.regular) {
  const provider = providerOf(url);
  const account = (name) => new Account(name, provider, sandbox.key(name).secret_key);
  return {
    provider,
    alice: account("alice.sandbox"),
    bob: account("bob.sandbox"),
    carol: account("carol.sandbox"),
    relayer: account("relayer.sandbox"),
  };
}

export const newKey = () => KeyPair.fromRandom("ed25519");
