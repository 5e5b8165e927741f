"""Receipts, results and findings as the tables have them, against what the sandbox says truly happened."""

import json

# The classes of the errors that nodes tell, by the innermost variant: apart from the daemon's own table.
WRAPPERS = {"InvalidTxError", "InvalidAccessKeyError", "FunctionCallError", "CompilationError", "MethodResolveError"}
CLASSES = {
    "AccountAlreadyExists": "account_exists", "AccountDoesNotExist": "account_missing",
    "ActorNoPermission": "actor_no_permission", "AddKeyAlreadyExists": "key_exists",
    "DeleteKeyDoesNotExist": "key_missing", "CreateAccountNotAllowed": "create_account_not_allowed",
    "CreateAccountOnlyByRegistrar": "create_account_only_by_registrar",
    "OnlyImplicitAccountCreationAllowed": "implicit_account_creation_only",
    "LackBalanceForState": "lack_balance_for_state", "DelegateActionExpired": "delegate_expired",
    "DelegateActionInvalidNonce": "delegate_nonce_used", "DelegateActionInvalidSignature": "delegate_invalid_signature",
    "DelegateActionSenderDoesNotMatchTxReceiver": "delegate_sender_mismatch",
    "CodeDoesNotExist": "code_missing", "MethodNotFound": "method_not_found", "MethodEmptyName": "method_name_empty",
    "AccessKeyNotFound": "access_key_not_found", "NotEnoughAllowance": "access_key_allowance",
    "InvalidNonce": "invalid_nonce", "NotEnoughBalance": "not_enough_balance", "SignerDoesNotExist": "signer_missing",
}
SENTENCES = {
    "Exceeded the prepaid gas.": "gas_exceeded",
    "Exceeded the maximum amount of gas allowed to burn per contract.": "gas_limit_exceeded",
}
PANIC = "Smart contract panicked: "
RECEIPT = ("receipt_id", "tx_hash", "parent_receipt_id", "role", "predecessor_id", "receiver_id", "block_height",
           "status", "error", "gas_burnt", "tokens_burnt", "shard_id")
# Columns that only one of the sources fills. A Merkle path alone tells the place in the left half of the tree; only whole blocks
# have all outcomes of a chunk, and only trees that are fetched are confirmed one by one.
OF_ONE_SOURCE = {"receipts": ("index_in_chunk",), "chunks": ("executed_root",), "transactions": ("confirmed",)}


def error_text(error):
    return error and json.dumps(error, sort_keys=True)


def variant(error):
    """The name and the payload of a Rust enum as JSON: "Name" or {"Name": payload}."""
    return (error, None) if isinstance(error, str) else next(iter(error.items()))


def class_and_panic(error):
    """The class of a TxExecutionError, and what a contract said when it panicked."""
    name, payload = variant(error)
    if name == "ActionError":
        name, payload = variant(payload["kind"])
    while name in WRAPPERS:
        name, payload = variant(payload)
    if name != "ExecutionError":
        return CLASSES[name], None
    if payload.startswith(PANIC):
        return "contract_panic", payload.removeprefix(PANIC)
    return SENTENCES[payload], None


# The failure that decides a verdict: the one of these that was executed first.
DECIDE = {
    "failed": lambda failure, t: failure["role"] == "initial" or failure["receipt_id"] == t["near_status_receipt_id"],
    "callback_failed": lambda failure, t: failure["role"] == "callback",
    "receipt_failed": lambda failure, t: not failure["handled"],
    "succeeded_with_handled_failure": lambda failure, t: True,
}


def deciding(transaction):
    """The class of the failure that gave the verdict, and the receipt that it goes back to."""
    if transaction["error"]:
        return class_and_panic(transaction["error"])[0], None
    heights = {node["receipt_id"]: node["executed_height"] for node in transaction["tree"]}
    those = [failure for failure in transaction["failed_receipts"] if DECIDE[transaction["verdict"]](failure, transaction)]
    if not those and transaction["wallet_refusal"]:
        those = [f for f in transaction["failed_receipts"] if transaction["near_status_receipt_id"] in f["handled_by"]]
        if not those:
            return "wallet_refused", None
    if not those:
        return None, None
    first = min(those, key=lambda failure: (heights[failure["receipt_id"]], failure["receipt_id"]))
    return class_and_panic(first["error"])[0], first["root_cause"] or first["receipt_id"]


AMOUNTS = ("net_deposit", "gas_refunded", "deposit_refunded", "tokens_lost")


def ended_by(transaction):
    """The receipt that gave NEAR's word, if it is not the first one."""
    first = transaction["tree"] and transaction["tree"][0]["receipt_id"]
    return None if transaction["near_status_receipt_id"] == first else transaction["near_status_receipt_id"]


def user_column(transaction):
    """As the tables have it: only who stands behind a relayer."""
    return None if transaction["user_id"] == transaction["signer_id"] else transaction["user_id"]


def wallets_that_refused(transactions):
    """Where no failed receipt tells it."""
    return [t for t in transactions if t["wallet_refusal"] and not t["failed_receipts"]]


def finding_ids(transactions):
    """The findings that their trees give."""
    return ({"failed_receipt:" + f["receipt_id"] for t in transactions for f in t["failed_receipts"]}
            | {"tokens_returned:" + f["receipt_id"] for t in transactions for f in t["tokens_returned"]}
            | {"wallet_refused:" + t["wallet_refusal"]["receipt_id"] for t in wallets_that_refused(transactions)}
            | {"burnt_tokens:" + b["receipt_id"] for t in transactions for b in t["burnt_tokens"]}
            | {"yield_timed_out:" + y["receipt_id"] for t in transactions for y in t["yields_timed_out"]}
            | {"failed_transaction:" + t["tx_hash"] for t in transactions if t["error"]})


def told_ids(transactions):
    """Ids of findings that are told: the gas of an account that its tree deleted is expected."""
    return finding_ids(transactions) - {"burnt_tokens:" + b["receipt_id"] for t in transactions
                                        for b in t["burnt_tokens"] if b["dust"]}


class Judging:
    """For a support.Scenario."""

    def assert_same(self, found, expected):
        missing, invented = expected - found, found - expected
        if missing or invented:
            self.fail(f"{len(missing)} missing, {len(invented)} not true of {len(expected)}; "
                      f"for example {list(missing)[:2]} against {list(invented)[:2]}")

    def true_results(self, truth):
        return {(t["tx_hash"], user_column(t), t["verdict"], t["near_status"], ended_by(t), *deciding(t), t["effect"],
                 t["method_name"], *(None if t[amount] == "0" else t[amount] for amount in AMOUNTS),
                 str(t["heights"]["included"]), str(t["heights"]["completed"]), str(t["heights"]["refunded"]), str(len(t["tree"])), str(len(t["failed_receipts"])))
                for t in truth}

    def stored_results(self, database):
        rows = self.query("SELECT tx_hash, user_id, verdict, near_status, near_status_receipt_id, error_class, root_cause, effect, "
                          f"method_name, {', '.join(AMOUNTS)}, "
                          "included_height, completed_height, settled_height, receipts, failed_receipts FROM transaction_results", database)
        self.assertEqual(len({row[0] for row in rows}), len(rows), "a transaction has two results")
        return {tuple(row) for row in rows}

    def true_findings(self, truth):
        receipts = {("failed_receipt:" + f["receipt_id"], t["tx_hash"], user_column(t), f["role"], "t" if f["handled"] else "f",
                     " ".join(sorted(set(f["handled_by"]))) or None, f["root_cause"], f["effect"], None, None, None,
                     *class_and_panic(f["error"]))
                    for t in truth for f in t["failed_receipts"]}
        tokens = {("tokens_returned:" + f["receipt_id"], t["tx_hash"], user_column(t), "callback", None, None, None, f["effect"], f["kept"],
                   f["returned"], None, None, None) for t in truth for f in t["tokens_returned"]}
        failed = {("failed_transaction:" + t["tx_hash"], t["tx_hash"], user_column(t), None, "f", None, None, None, None, None, None,
                   *class_and_panic(t["error"])) for t in truth if t["error"]}
        burnt = {("burnt_tokens:" + b["receipt_id"], t["tx_hash"], user_column(t), b["role"], None, None, None, None, None,
                  None, b["amount"], *(class_and_panic(b["error"]) if b["error"] else ("gas_key_balance", None)))
                 for t in truth for b in t["burnt_tokens"]}
        wallets = {("wallet_refused:" + t["wallet_refusal"]["receipt_id"], t["tx_hash"], user_column(t), "initial", "f", None, None, None,
                    None, None, None, "wallet_refused", None) for t in wallets_that_refused(truth)}
        yields = {("yield_timed_out:" + y["receipt_id"], t["tx_hash"], user_column(t), "callback", "t" if y["handled"] else "f",
                   None, None, None, None, None, None, "yield_timed_out", None) for t in truth for y in t["yields_timed_out"]}
        return receipts | tokens | burnt | failed | wallets | yields

    def stored_findings(self, database):
        rows = self.query("SELECT finding_id, tx_hash, user_id, role, handled, array_to_string(handled_by, ' '), root_cause, effect, "
                          "amount_kept, amount_returned, amount_burnt, error_class, "
                          "CASE error_class WHEN 'contract_panic' THEN error_text END "
                          "FROM findings WHERE kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'burnt_tokens', 'wallet_refused', "
                          "'yield_timed_out')", database)
        self.assertEqual(len({row[0] for row in rows}), len(rows), "a cause is found twice")
        return {tuple(row) for row in rows}

    def true_receipts(self, truth, keep):
        rows = set()
        for transaction in truth:
            for node in transaction["tree"] or []:
                if node["executed_height"] is None or not keep(transaction, node):
                    continue
                rows.add((node["receipt_id"], transaction["tx_hash"], node["parent"], node["role"],
                          node["predecessor_id"], node["receiver_id"], str(node["executed_height"]), node["status"],
                          error_text(node["error"]), str(node["gas_burnt"]), node["tokens_burnt"], str(node["shard_id"])))
        return rows

    def stored_receipts(self, database):
        rows = self.query(f"SELECT {', '.join(RECEIPT)} FROM receipts", database)
        error = RECEIPT.index("error")
        found = {(*row[:error], error_text(row[error] and json.loads(row[error])), *row[error + 1:]) for row in rows}
        self.assertEqual(len(found), len(rows), "a receipt is stored twice")
        return found

    def assert_judged(self, database, settled, completed):
        """All of what is settled, and nothing that is not true of the rest."""
        self.assert_same(self.stored_results(database), self.true_results(settled))
        found = self.stored_findings(database)
        self.assert_same(found & self.true_findings(settled), self.true_findings(settled))
        self.assert_same(found, found & self.true_findings(completed))

    def known_by_rpc(self, truth, last):
        """Whole trees, but no resume of a yield that a block above this height lists."""
        executed = {node["receipt_id"]: node["executed_height"] for t in truth for node in t["tree"] or ()}
        return [{**t, "yields_timed_out": [y for y in t["yields_timed_out"] if executed[y["receipt_id"]] <= last]} for t in truth]

    def settled_by(self, truth, last):
        return [t for t in truth if t["heights"]["refunded"] and t["heights"]["refunded"] <= last]
