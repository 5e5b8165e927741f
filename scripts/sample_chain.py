"""A very small sharded chain that behaves like NEAR where receiptd looks: receipts are listed one block before
they execute, local ones at once; data receipts, callbacks, refunds, promise yields, missing chunks, skipped heights.

Deterministic: every id is a SHA-256 of what it stands for. Proofs, roots and signatures are placeholders."""
import base64
import hashlib
import json

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
GAS_PRICE = 10**8
TGAS = 10**12
TRANSFER_GAS = 223182562500
CALL_GAS = 2427910000000
ZERO_KEY = "ed25519:11111111111111111111111111111111"


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def unbase58(text):
    number = 0
    for char in text:
        number = number * 58 + ALPHABET.index(char)
    return number.to_bytes(32, "big")


def digest(*what):
    return base58(hashlib.sha256("|".join(["receiptd sample", *map(str, what)]).encode()).digest())


def derived(base, height, salt):
    """encoding.md §5: id(base, height, salt)."""
    return base58(hashlib.sha256(unbase58(base) + height.to_bytes(8, "little") + salt.to_bytes(8, "little")).digest())


def signature(*what):
    raw = hashlib.sha512("|".join(map(str, what)).encode()).digest()
    return "ed25519:" + base58(raw[:63] + bytes([raw[63] & 0x1F]))


def public_key(account):
    return "ed25519:" + digest("key", account)


def base64_text(data):
    return base64.b64encode(data).decode()


def call(method, args=b"", gas=30 * TGAS, deposit=0):
    raw = args if isinstance(args, bytes) else json.dumps(args, separators=(",", ":")).encode()
    return {"FunctionCall": {"method_name": method, "args": base64_text(raw), "gas": gas, "deposit": str(deposit)}}


def transfer(amount):
    return {"Transfer": {"deposit": str(amount)}}


class Panic(Exception):
    """A contract call that fails; the text is what ExecutionError says, or the FunctionCallError itself."""


class ActionFailure(Exception):
    def __init__(self, index, kind):
        super().__init__(str(kind))
        self.index, self.kind = index, kind


class Receipt:
    def __init__(self, tx, predecessor, receiver, signer, key, actions):
        self.tx, self.predecessor, self.receiver = tx, predecessor, receiver
        self.signer, self.key, self.actions = signer, key, actions
        self.id, self.inputs, self.outputs = None, [], []
        self.gas_price, self.is_yield = GAS_PRICE, False

    def json(self):
        body = {"signer_id": self.signer, "signer_public_key": self.key, "gas_price": str(self.gas_price),
                "output_data_receivers": self.outputs, "input_data_ids": self.inputs, "actions": self.actions,
                "is_promise_yield": self.is_yield, "refund_to": None}
        return envelope(self, {"Action": body})


class DataReceipt:
    def __init__(self, tx, predecessor, receiver, data_id, data, resume=False):
        self.tx, self.predecessor, self.receiver, self.id = tx, predecessor, receiver, None
        self.data_id, self.data, self.resume = data_id, data, resume

    def json(self):
        data = None if self.data is None else base64_text(self.data)
        return envelope(self, {"Data": {"data_id": self.data_id, "data": data, "is_promise_resume": self.resume}})


def envelope(receipt, body):
    return {"predecessor_id": receipt.predecessor, "receiver_id": receipt.receiver, "receipt_id": receipt.id,
            "receipt": body, "priority": 0}


class Call:
    """A contract's view of its call, and the things that it may ask for."""

    def __init__(self, receipt, index, action, results, height):
        self.receipt, self.results = receipt, results
        self.account, self.predecessor = receipt.receiver, receipt.predecessor
        self.raw_args = base64.b64decode(action["args"])
        self.deposit = int(action["deposit"])
        self.logs, self.children, self.resumes = [], [], []
        self._height, self._data_ids = height, 0
        self._action_hash = derived(receipt.id, height, 2**64 - 1 - index)

    @property
    def args(self):
        return json.loads(self.raw_args)

    def event(self, standard, version, event, data):
        body = {"standard": standard, "version": version, "event": event, "data": data}
        self.logs.append("EVENT_JSON:" + json.dumps(body, separators=(",", ":")))

    def promise(self, receiver, *actions):
        child = Receipt(self.receipt.tx, self.account, receiver, self.receipt.signer, self.receipt.key, list(actions))
        self.children.append(child)
        return child

    def _new_data_id(self):
        self._data_ids += 1
        return derived(self._action_hash, self._height, self._data_ids - 1)

    def then(self, promises, receiver, *actions):
        callback = self.promise(receiver, *actions)
        for promise in promises:
            data_id = self._new_data_id()
            promise.outputs.append({"data_id": data_id, "receiver_id": receiver})
            callback.inputs.append(data_id)
        return callback

    def promise_yield(self, action):
        child = self.promise(self.account, action)
        child.is_yield = True
        child.inputs.append(self._new_data_id())
        return child

    def resume(self, data_id, payload):
        self.resumes.append((data_id, payload))


class Shard:
    def __init__(self, shard_id):
        self.id = shard_id
        self.outgoing = []   # made by the last application, listed by the next new chunk
        self.incoming = []   # listed, waiting for the next new chunk of this shard
        self.postponed = []  # receipts without all their data
        self.data = {}       # (account, data id) -> data
        self.header = None
        self.gas_used = 0


class SampleChain:
    def __init__(self, first_height, shard_ids, boundaries, contracts, accounts):
        self.height, self.shards = first_height, [Shard(i) for i in shard_ids]
        self.boundaries, self.contracts, self.accounts = boundaries, contracts, set(accounts)
        self.outcomes, self.receipts, self.transactions, self.executions = {}, {}, {}, []
        self.nonces = {}

    def shard_of(self, account):
        return self.shards[sum(1 for boundary in self.boundaries if boundary <= account)]

    # --- transactions -----------------------------------------------------------------------

    def sign(self, signer, receiver, actions, invalid=None):
        self.nonces[signer] = nonce = self.nonces.get(signer, self.height * 10**6) + 1
        tx_hash = digest("transaction", signer, nonce)
        json_tx = {"signer_id": signer, "public_key": public_key(signer), "nonce": nonce, "receiver_id": receiver,
                   "actions": actions, "priority_fee": 0, "signature": signature(tx_hash), "hash": tx_hash}
        return {"json": json_tx, "invalid": invalid}

    def _convert(self, transaction, block_hash):
        tx = transaction["json"]
        receipt = Receipt(tx["hash"], tx["signer_id"], tx["receiver_id"], tx["signer_id"], tx["public_key"],
                          tx["actions"])
        if transaction["invalid"]:
            status, ids, gas = {"Failure": {"InvalidTxError": transaction["invalid"]}}, [], 0
        else:
            receipt.id = derived(tx["hash"], self.height, 0)
            status, ids, gas = {"SuccessReceiptId": receipt.id}, [receipt.id], TRANSFER_GAS + 2235934 * len(json.dumps(tx["actions"]))
        outcome = self._outcome(tx["hash"], block_hash, tx["signer_id"], [], ids, gas, status, 1)
        self.transactions[tx["hash"]] = {"transaction": tx, "outcome": outcome}
        return outcome, (receipt if ids else None)

    def _outcome(self, outcome_id, block_hash, executor, logs, receipt_ids, gas, status, version):
        profile = None if version == 1 else [{"cost_category": "ACTION_COST", "cost": "NEW_ACTION_RECEIPT",
                                              "gas_used": str(gas // 2)}]
        outcome = {"id": outcome_id, "block_hash": block_hash, "proof": [], "outcome": {
            "logs": logs, "receipt_ids": receipt_ids, "gas_burnt": gas, "tokens_burnt": str(gas * GAS_PRICE),
            "executor_id": executor, "status": status, "metadata": {"version": version, "gas_profile": profile}}}
        self.outcomes[outcome_id] = outcome
        return outcome

    # --- execution of one receipt -----------------------------------------------------------

    def _run_actions(self, receipt, results):
        """Returns logs, children, resumes and the value: bytes or the promise returned."""
        logs, children, resumes, value = [], [], [], b""
        for index, action in enumerate(receipt.actions):
            value = b""
            kind = action if isinstance(action, str) else next(iter(action))
            if kind == "CreateAccount":
                self.accounts.add(receipt.receiver)
            elif receipt.receiver not in self.accounts:
                raise ActionFailure(index, {"AccountDoesNotExist": {"account_id": receipt.receiver}})
            elif kind == "FunctionCall":
                context = Call(receipt, index, action[kind], results, self.height)
                value = self._call(context, action[kind], index, logs) or b""
                children += context.children
                resumes += context.resumes
            elif kind == "Delegate":
                inner = action[kind]["delegate_action"]
                children.append(Receipt(receipt.tx, inner["sender_id"], inner["receiver_id"], receipt.signer,
                                        receipt.key, inner["actions"]))
            elif kind == "DeleteAccount":
                self.accounts.discard(receipt.receiver)
                children.append(refund(receipt, action[kind]["beneficiary_id"], 3 * 10**24, "system", ZERO_KEY))
        return logs, children, resumes, value

    def _call(self, context, action, index, logs):
        try:
            method = self.contracts[context.account].get(action["method_name"])
            if method is None:
                raise Panic({"MethodResolveError": "MethodNotFound"})
            value = method(context)
            logs += context.logs
            return value
        except Panic as panic:
            logs += context.logs
            error = panic.args[0] if isinstance(panic.args[0], dict) else {"ExecutionError": panic.args[0]}
            failure = ActionFailure(index, {"FunctionCallError": error})
            failure.logs = logs
            raise failure from None

    def _execute(self, receipt, shard, block_hash):
        results = [shard.data.pop((receipt.receiver, data_id)) for data_id in receipt.inputs]
        system = receipt.predecessor == "system"
        calls = [a["FunctionCall"] for a in receipt.actions if isinstance(a, dict) and "FunctionCall" in a]
        gas = CALL_GAS * len(calls) or TRANSFER_GAS
        failed, logs, children, resumes, value = None, [], [], [], b""
        try:
            logs, children, resumes, value = self._run_actions(receipt, results)
        except ActionFailure as failure:
            failed, logs = failure, getattr(failure, "logs", [])
        refunds = [] if system else self._refunds(receipt, calls, children, gas, failed)
        data = self._results(receipt, value, failed)
        data += [DataReceipt(receipt.tx, receipt.receiver, receipt.receiver, i, p, True) for i, p in resumes]
        for salt, made in enumerate(children + refunds + data):
            made.id = derived(receipt.id, self.height, salt)
        status = status_of(value, failed)
        outcome = self._outcome(receipt.id, block_hash, receipt.receiver, logs,
                                [made.id for made in children + refunds], gas, status, 3 if calls else 1)
        if system:  # its gas is burnt, and paid by nobody
            outcome["outcome"]["tokens_burnt"] = "0"
        for made in children:
            if made.is_yield:
                shard.postponed.append(made)
        shard.outgoing += [made for made in children + refunds + data if not getattr(made, "is_yield", False)]
        self.receipts.update({made.id: made for made in children + refunds})
        return outcome

    def _refunds(self, receipt, calls, children, gas, failed):
        made = []
        deposit = sum(int(next(iter(a.values())).get("deposit", 0)) for a in receipt.actions if isinstance(a, dict))
        if failed and deposit:
            made.append(refund(receipt, receipt.predecessor, deposit, "system", ZERO_KEY))
        passed_on = 0 if failed else sum(a["FunctionCall"]["gas"] for child in children for a in child.actions
                                         if isinstance(a, dict) and "FunctionCall" in a)
        unused = sum(c["gas"] for c in calls) - gas - passed_on
        if calls and unused > 0:
            made.append(refund(receipt, receipt.signer, unused * GAS_PRICE, receipt.signer, receipt.key))
        return made

    def _results(self, receipt, value, failed):
        if failed is None and isinstance(value, Receipt):
            value.outputs += receipt.outputs  # the promise returned answers in its place
            return []
        data = None if failed else value
        return [DataReceipt(receipt.tx, receipt.receiver, o["receiver_id"], o["data_id"], data)
                for o in receipt.outputs]

    # --- one application of a new chunk -----------------------------------------------------

    def apply(self, shard, transactions, block_hash):
        """Returns the converted transactions and the executed receipts, with their outcomes."""
        converted, local, executed = [], [], []

        def run(receipt):
            executed.append((receipt, self._execute(receipt, shard, block_hash)))

        for transaction in transactions:
            outcome, receipt = self._convert(transaction, block_hash)
            is_local = receipt is not None and receipt.predecessor == receipt.receiver
            converted.append((transaction["json"], outcome, receipt if is_local else None))
            if receipt is not None:
                self.receipts[receipt.id] = receipt
                (local if is_local else shard.outgoing).append(receipt)
        for receipt in local:
            run(receipt)
        incoming, shard.incoming = shard.incoming, []
        for receipt in incoming:
            if isinstance(receipt, DataReceipt):
                shard.data[(receipt.receiver, receipt.data_id)] = receipt.data
            else:
                shard.postponed.append(receipt)
            for waiting in [w for w in shard.postponed if all((w.receiver, i) in shard.data for i in w.inputs)]:
                shard.postponed.remove(waiting)
                run(waiting)
        shard.gas_used = sum(o["outcome"]["gas_burnt"] for _, o in executed)
        shard.gas_used += sum(o["outcome"]["gas_burnt"] for _, o, _ in converted)
        return converted, executed

    def list_outgoing(self, shard):
        """The receipts of the shard's next chunk; they reach their shards with it."""
        listed, shard.outgoing = shard.outgoing, []
        for receipt in listed:
            self.shard_of(receipt.receiver).incoming.append(receipt)
        return listed


def refund(receipt, receiver, amount, signer, key):
    made = Receipt(receipt.tx, "system", receiver, signer, key, [transfer(amount)])
    made.gas_price = 0
    return made


def status_of(value, failed):
    if failed:
        return {"Failure": {"ActionError": {"index": failed.index, "kind": failed.kind}}}
    if isinstance(value, Receipt):
        return {"SuccessReceiptId": value.id}
    return {"SuccessValue": base64_text(value)}
