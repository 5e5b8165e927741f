// near-kit as the tests use it: one Near per ready-made account.
import { Near, TransactionBuilder } from "near-kit";

export function nearOf(sandbox, account, { url = sandbox.regular, waitUntil = "FINAL", ...config } = {}) {
  return new Near({
    network: { rpcUrl: url, networkId: "sandbox" },
    privateKey: sandbox.key(account).secret_key,
    defaultSignerId: account,
    defaultWaitUntil: waitUntil,
    // The sandbox means its answers of 408 and 5xx.
    retryConfig: { maxRetries: 0, initialDelayMs: 1 },
    ...config,
  });
}

// near-kit keeps the next nonce of each key for the whole process.
export function forgetNonce(sandbox, account) {
  TransactionBuilder.nonceManager.invalidate(account, sandbox.key(account).public_key);
}

// For assert.rejects: near-kit does not export all its errors, but each has its code and fields.
export const nearKitError =
  (code, fields = {}) =>
  (error) => {
    const found = { code: error.code };
    for (const name of Object.keys(fields)) found[name] = error[name];
    const wanted = { code, ...fields };
    for (const [name, value] of Object.entries(wanted)) {
      const right =
        value instanceof RegExp ? value.test(found[name]) : JSON.stringify(value) === JSON.stringify(found[name]);
      if (!right) throw new Error(`${name} is ${JSON.stringify(found[name])}, not ${value}: ${error.stack}`);
    }
    return true;
  };
